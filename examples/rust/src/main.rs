//! Calls functions written in Toy; `build.rs` has compiled them. There is no `unsafe` here.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Small tensors are arrays.
    let (weights, bias) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, -0.5]);
    let (slope, offset) = ([1.0; 6], [10.0, 20.0]);
    let (mut new_weights, mut new_bias) = ([0.0; 6], [0.0; 2]);
    kernels::step_S2x3_2E_S2x3_2E_s(
        &weights, &bias, &slope, &offset, 0.1, &mut new_weights, &mut new_bias,
    )?;
    println!("{new_weights:?} {new_bias:?}");

    // Large ones stay on the heap: a slice of the right length is an array.
    let a: Vec<f64> = (0..512 * 512).map(|i| f64::from(i % 7)).collect();
    let b = vec![0.5; 512 * 512];
    let mut result = vec![0.0; 512 * 512];
    kernels::correlation(
        a.as_slice().try_into()?,
        b.as_slice().try_into()?,
        result.as_mut_slice().try_into()?,
    )?;
    assert!((0..512 * 512).all(|i| result[i] == 0.5 * a[i % 512 * 512 + i / 512]));
    println!("{} elements are right", result.len());

    // Callers that must not allocate pass the memory for temporaries.
    let mut workspace = vec![0; kernels::correlation_WORKSPACE];
    let mut again = vec![0.0; 512 * 512];
    kernels::correlation_in(
        a.as_slice().try_into()?,
        b.as_slice().try_into()?,
        again.as_mut_slice().try_into()?,
        workspace.as_mut_slice().try_into()?,
    )?;
    assert!(again == result);
    Ok(())
}
