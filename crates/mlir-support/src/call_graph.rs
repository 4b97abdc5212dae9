//! Call graphs: an order in which callees come before their callers, and the cycles of calls.
//!
//! Input: the callees of each function, by numbers. Output: an [`Order`]. No recursion: a chain of calls can have any
//! length. Time is linear in the number of calls.

/// An order of the functions of a call graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// All functions, each after its callees unless they are in a cycle.
    pub callees_first: Vec<usize>,
    /// For each function, true if it may call itself, directly or through others.
    pub in_cycle: Vec<bool>,
}

/// The order of functions, from the callees of each: Tarjan's algorithm, whose strongly connected components come in
/// this order.
pub fn order(callees: &[Vec<usize>]) -> Order {
    const NEW: usize = usize::MAX;
    let count = callees.len();
    let (mut found, mut lowest) = (vec![NEW; count], vec![NEW; count]);
    let (mut order, mut in_cycle) = (Vec::with_capacity(count), vec![false; count]);
    let (mut component, mut is_open) = (Vec::new(), vec![false; count]);
    let mut clock = 0;
    for root in 0..count {
        if found[root] != NEW {
            continue;
        }
        // The functions from the root to the current one, with the number of calls visited.
        let mut path = vec![(root, 0)];
        while let Some((function, next)) = path.pop() {
            if next == 0 {
                (found[function], lowest[function]) = (clock, clock);
                clock += 1;
                component.push(function);
                is_open[function] = true;
            } else {
                // The callee before this one is done.
                let callee = callees[function][next - 1];
                if is_open[callee] {
                    lowest[function] = lowest[function].min(lowest[callee]);
                }
            }
            let Some(&callee) = callees[function].get(next) else {
                if lowest[function] == found[function] {
                    let start = component.iter().rposition(|member| *member == function);
                    let members = component.split_off(start.unwrap_or(0));
                    let is_cycle = members.len() > 1 || callees[function].contains(&function);
                    for member in members {
                        is_open[member] = false;
                        in_cycle[member] = is_cycle;
                        order.push(member);
                    }
                }
                continue;
            };
            path.push((function, next + 1));
            if found[callee] == NEW {
                path.push((callee, 0));
            }
        }
    }
    Order { callees_first: order, in_cycle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_before_their_callers() {
        for (callees, expected, cycles) in [
            (vec![vec![1, 2], vec![2], vec![]], vec![2, 1, 0], vec![]),
            (vec![vec![], vec![0, 0], vec![1, 0]], vec![0, 1, 2], vec![]),
            (vec![vec![0]], vec![0], vec![0]),
            // 1 and 2 call each other, 2 calls itself, too; 3 is called from there.
            (vec![vec![1], vec![3, 2], vec![2, 1], vec![]], vec![3, 1, 2, 0], vec![1, 2]),
        ] {
            let found = order(&callees);
            assert_eq!(found.callees_first, expected, "{callees:?}");
            let in_cycle = (0..callees.len()).filter(|number| found.in_cycle[*number]);
            assert_eq!(in_cycle.collect::<Vec<_>>(), cycles, "{callees:?}");
        }
    }

    #[test]
    fn a_chain_of_calls_may_be_long() {
        let count = 100_000;
        let callees: Vec<Vec<usize>> =
            (0..count).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
        assert_eq!(order(&callees).callees_first, (0..count).collect::<Vec<_>>());
    }
}
