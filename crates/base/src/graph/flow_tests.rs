//! Flow graphs of textbook shape, with what can be derived from them by hand.

use super::*;

fn graph(successors: &[&[u32]]) -> FlowGraph {
    FlowGraph::new(successors.iter().map(|list| list.iter().copied().map(BlockId).collect()).collect())
}

fn edges(list: &[(u32, usize)]) -> Vec<(BlockId, usize)> {
    list.iter().map(|(block, position)| (BlockId(*block), *position)).collect()
}

fn blocks(list: &[u32]) -> Vec<BlockId> {
    list.iter().copied().map(BlockId).collect()
}

#[test]
fn the_arms_of_a_diamond_depend_on_its_branch_and_the_join_on_nothing() {
    let diamond = graph(&[&[1, 2], &[3], &[3], &[]]);
    assert_eq!(diamond.dependences(BlockId(0)), []);
    assert_eq!(diamond.dependences(BlockId(1)), edges(&[(0, 0)]));
    assert_eq!(diamond.dependences(BlockId(2)), edges(&[(0, 1)]));
    assert_eq!(diamond.dependences(BlockId(3)), []);
    assert_eq!(diamond.immediate_dominator(BlockId(3)), Some(BlockId(0)));
    assert_eq!(diamond.immediate_post_dominator(BlockId(0)), Some(BlockId(3)));
    assert_eq!(diamond.immediate_post_dominator(BlockId(3)), None);
    assert_eq!(diamond.predecessors(BlockId(3)), blocks(&[1, 2]));
    assert!(diamond.back_edges().is_empty());
}

#[test]
fn a_loop_header_depends_on_its_own_edge_into_the_loop() {
    // 0: entry, 1: while header, 2: body, 3: after.
    let looped = graph(&[&[1], &[2, 3], &[1], &[]]);
    assert_eq!(looped.dependences(BlockId(1)), edges(&[(1, 0)]));
    assert_eq!(looped.dependences(BlockId(2)), edges(&[(1, 0)]));
    assert_eq!(looped.dependences(BlockId(3)), []);
    assert_eq!(looped.back_edges(), edges(&[(2, 0)]));
    assert_eq!(looped.loop_headers(), blocks(&[1]));
    assert_eq!(looped.loop_blocks(BlockId(1)), blocks(&[1, 2]));
    assert!(looped.is_natural((BlockId(2), 0)));
}

#[test]
fn an_inner_loop_depends_on_both_loops() {
    // 1: outer header, 2: inner header, 3: inner body, 4: outer latch, 5: after.
    let nested = graph(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
    assert_eq!(nested.dependences(BlockId(3)), edges(&[(2, 0)]));
    assert_eq!(nested.dependences(BlockId(2)), edges(&[(1, 0), (2, 0)]));
    assert_eq!(nested.all_dependences(BlockId(3)), edges(&[(1, 0), (2, 0)]));
    assert_eq!(nested.loop_headers(), blocks(&[1, 2]));
    assert_eq!(nested.loop_blocks(BlockId(1)), blocks(&[1, 2, 3, 4]));
    assert_eq!(nested.loop_blocks(BlockId(2)), blocks(&[2, 3]));
}

#[test]
fn an_irreducible_loop_has_a_back_edge_that_is_not_natural() {
    // Two entries into the cycle 1 <-> 2; 3 is after it.
    let irreducible = graph(&[&[1, 2], &[2], &[1, 3], &[]]);
    assert_eq!(irreducible.back_edges(), edges(&[(2, 0)]));
    assert!(!irreducible.is_natural((BlockId(2), 0)));
    assert_eq!(irreducible.loop_headers(), blocks(&[1]));
    assert_eq!(irreducible.loop_blocks(BlockId(1)), []);
    assert_eq!(irreducible.immediate_dominator(BlockId(1)), Some(BlockId(0)));
    assert_eq!(irreducible.immediate_dominator(BlockId(2)), Some(BlockId(0)));
    assert_eq!(irreducible.dependences(BlockId(1)), edges(&[(0, 0), (2, 0)]));
    assert_eq!(irreducible.dependences(BlockId(2)), edges(&[(2, 0)]));
}

#[test]
fn an_endless_loop_leaves_nothing_undefined() {
    // 0 branches to a return (1) or into for (;;) { if (c) 3 else 4 } with header 2 and latch 5.
    let endless = graph(&[&[1, 2], &[], &[3, 4], &[5], &[5], &[2]]);
    assert_eq!(endless.dependences(BlockId(1)), edges(&[(0, 0)]));
    assert_eq!(endless.immediate_post_dominator(BlockId(2)), None);
    assert_eq!(endless.immediate_post_dominator(BlockId(5)), Some(BlockId(2)));
    assert!(endless.dependences(BlockId(3)).contains(&(BlockId(2), 0)));
    assert!(!endless.dependences(BlockId(3)).contains(&(BlockId(2), 1)));
    assert!(endless.dependences(BlockId(2)).contains(&(BlockId(0), 1)));
    assert_eq!(endless.all_dependences(BlockId(4)), edges(&[(0, 1), (2, 0), (2, 1)]));
    assert_eq!(endless.loop_blocks(BlockId(2)), blocks(&[2, 3, 4, 5]));
}

#[test]
fn a_block_that_loops_to_itself_for_ever_is_its_own_end() {
    let stuck = graph(&[&[1], &[1]]);
    assert_eq!(stuck.immediate_post_dominator(BlockId(0)), Some(BlockId(1)));
    assert_eq!(stuck.dependences(BlockId(1)), []);
    assert_eq!(stuck.back_edges(), edges(&[(1, 0)]));
}

#[test]
fn unreachable_blocks_are_told_apart_and_decide_nothing() {
    // 2 is unreachable and branches into the reachable part.
    let graph = graph(&[&[1], &[], &[1, 3], &[1]]);
    assert!(!graph.is_reachable(BlockId(2)));
    assert_eq!(graph.immediate_dominator(BlockId(2)), None);
    assert!(!graph.dominates(BlockId(0), BlockId(2)));
    assert_eq!(graph.immediate_dominator(BlockId(1)), Some(BlockId(0)));
    assert_eq!(graph.dependences(BlockId(3)), []);
    assert_eq!(graph.immediate_post_dominator(BlockId(2)), Some(BlockId(1)));
}

#[test]
fn a_switch_has_one_edge_per_case_even_to_the_same_block() {
    // switch: case 0 and 1 -> 1 which falls through to 2, case 2 -> 2, default -> 3.
    let switch = graph(&[&[1, 1, 2, 3], &[2], &[3], &[]]);
    assert_eq!(switch.dependences(BlockId(1)), edges(&[(0, 0), (0, 1)]));
    assert_eq!(switch.dependences(BlockId(2)), edges(&[(0, 0), (0, 1), (0, 2)]));
    assert_eq!(switch.dependences(BlockId(3)), []);
    assert_eq!(switch.predecessors(BlockId(1)), blocks(&[0]));
    assert_eq!(switch.exits().collect::<Vec<_>>(), blocks(&[3]));
}

#[test]
fn a_function_without_blocks_has_an_empty_graph() {
    let empty = graph(&[]);
    assert_eq!(empty.blocks().count(), 0);
    assert!(empty.loop_headers().is_empty());
}

mod random {
    use super::*;
    use proptest::prelude::*;

    fn any_graph() -> impl Strategy<Value = FlowGraph> {
        (1usize..9).prop_flat_map(|count| {
            let block = (0..count).prop_map(BlockId::of);
            let list = prop::collection::vec(block, 0..4);
            prop::collection::vec(list, count).prop_map(FlowGraph::new)
        })
    }

    /// Whether `to` can be reached from `from` when `without` is taken out of the graph.
    fn connected(graph: &FlowGraph, from: BlockId, to: BlockId, without: BlockId) -> bool {
        let seen = reach(graph.successors.len(), &[from.index()], |block| {
            let gone = block == without.index();
            if gone { Vec::new() } else { indices(&graph.successors[block]) }
        });
        seen[to.index()] && from != without && to != without
    }

    proptest! {
        #[test]
        fn a_dominator_is_a_block_whose_removal_cuts_the_paths(graph in any_graph()) {
            for block in graph.blocks().filter(|block| graph.is_reachable(*block)) {
                for other in graph.blocks().filter(|other| *other != block) {
                    let cuts = !connected(&graph, BlockId(0), block, other);
                    prop_assert_eq!(graph.dominates(other, block), cuts, "{} {}", other, block);
                }
            }
        }

        #[test]
        fn without_its_back_edges_a_graph_has_no_cycle(graph in any_graph()) {
            let forward: Vec<Vec<BlockId>> = graph
                .blocks()
                .map(|block| {
                    let targets = graph.successors(block).iter().enumerate();
                    let kept = targets.filter(|(position, _)| !graph.back_edges().contains(&(block, *position)));
                    kept.map(|(_, target)| *target).filter(|_| graph.is_reachable(block)).collect()
                })
                .collect();
            prop_assert!(FlowGraph::new(forward).back_edges().is_empty());
        }

        #[test]
        fn control_dependence_means_certain_on_one_edge_and_avoidable_on_another(graph in any_graph()) {
            for block in graph.blocks() {
                for edge in graph.dependences(block) {
                    prop_assert!(graph.post_dominates(block, graph.target(*edge)));
                    prop_assert!(edge.0 == block || !graph.post_dominates(block, edge.0));
                }
            }
        }
    }
}
