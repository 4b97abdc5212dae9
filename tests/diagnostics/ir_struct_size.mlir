// The tensors in a struct are counted.
!t0 = tensor<f64>
!t1 = !toy.struct<[!t0, !t0]>
!t2 = !toy.struct<[!t1, !t1]>
!t3 = !toy.struct<[!t2, !t2]>
!t4 = !toy.struct<[!t3, !t3]>
!t5 = !toy.struct<[!t4, !t4]>
!t6 = !toy.struct<[!t5, !t5]>
!t7 = !toy.struct<[!t6, !t6]>
!t8 = !toy.struct<[!t7, !t7]>
!t9 = !toy.struct<[!t8, !t8]>
!t10 = !toy.struct<[!t9, !t9]>
!t11 = !toy.struct<[!t10, !t10]>
!t12 = !toy.struct<[!t11, !t11]>
!t13 = !toy.struct<[!t12, !t12]>
!t14 = !toy.struct<[!t13, !t13]>
!t15 = !toy.struct<[!t14, !t14]>
!t16 = !toy.struct<[!t15, !t15]>
!t17 = !toy.struct<[!t16, !t16]>
func.func private @f(%x: !t17) { return }
func.func @main() {
  return
}
