//! The tree by itself: what becomes a node, and what a flip asks for.

use crate::machine::{Machine, Word};
use crate::program::{Ending, subject};
use testwright_abi::event::EventKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Constraint, Layout, Path};
use testwright_search::flip;
use testwright_search::tree::{Attempt, Kind, RunId, State, Tree};

fn sample() -> Subject {
    subject(&[
        (&[1, 2, 1, 2], Ending::Switch(&[3, 5, 9])),
        (&[2, 3], Ending::Branch),
        (&[], Ending::Goto),
        (&[], Ending::Goto),
    ])
}

/// A switch on the first input, a pinned second one, what a native call was given, and a branch.
fn run(subject: &Subject, inputs: &[i64]) -> (Exprs, Path) {
    let mut machine = Machine::new(subject, inputs);
    let (x, y) = (machine.inputs[0], machine.inputs[1]);
    machine.switch(0, x);
    machine.pin(EventKind::Address, 7, y);
    machine.pin(EventKind::Native, 8, y);
    let less = machine.less(y, Word::of(10));
    machine.context = 4;
    machine.branch(1, less);
    let (exprs, path, _) = machine.finish();
    (exprs, path)
}

#[test]
fn decisions_become_nodes_and_native_arguments_do_not() {
    let subject = sample();
    let (exprs, path) = run(&subject, &[3, 20]);
    let mut tree = Tree::new(100, 4);
    let inserted = tree.insert(&subject, RunId(0), &exprs, &path);
    let nodes: Vec<_> = inserted.nodes.iter().map(|id| tree.node(*id)).collect();
    let kinds: Vec<_> = nodes.iter().map(|node| (node.kind, node.depth, node.step, node.context)).collect();
    assert_eq!(kinds, [(Kind::Switch, 0, 0, 0), (Kind::Pin, 1, 1, 0), (Kind::Branch, 2, 3, 4)]);
    assert_eq!(tree.open_count(), 3);
    assert_eq!(tree.insert(&subject, RunId(1), &exprs, &path).nodes, []);
}

#[test]
fn a_flip_asks_for_the_prefix_and_none_of_the_known_ways() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = run(&subject, &[3, 20]);
    let nodes = tree.insert(&subject, RunId(0), &exprs, &path).nodes;
    let constraints = |tree: &Tree, place: usize, step: usize| {
        flip::constraints(&subject, tree, nodes[place], (&exprs, &path), step, None)
    };
    let (x, y) = (exprs.id(1).unwrap(), exprs.id(2).unwrap());
    assert_eq!(constraints(&tree, 0, 0), Some(vec![Constraint::NoneOf(x, vec![3])]));
    let expected = vec![Constraint::Equals(x, 3), Constraint::NoneOf(y, vec![20])];
    assert_eq!(constraints(&tree, 1, 1), Some(expected));
    let branch = constraints(&tree, 2, 3).unwrap();
    assert_eq!(branch.len(), 4, "what a native call was given is part of the prefix");
    assert!(matches!(branch[3], Constraint::IsTrue(_)));

    // With the default seen, only the other cases are left; with all seen, nothing.
    for (outcome, expected) in [(77, Some(vec![5, 9])), (9, Some(vec![5])), (5, None)] {
        let (exprs, path) = run(&subject, &[outcome, 20]);
        tree.insert(&subject, RunId(1), &exprs, &path);
        let expected = expected.map(|cases| vec![Constraint::OneOf(x, cases)]);
        assert_eq!(constraints(&tree, 0, 0), expected);
    }
    assert_eq!(tree.node(nodes[0]).state, State::Explored);
}

#[test]
fn a_condition_that_was_decided_before_is_no_decision_again() {
    let subject = sample();
    let path_of = |rounds: usize| {
        let mut machine = Machine::new(&subject, &[3, 20]);
        let (x, y) = (machine.inputs[0], machine.inputs[1]);
        let less = machine.less(y, Word::of(10));
        for _ in 0..rounds {
            machine.branch(1, less);
        }
        let other = machine.less(x, Word::of(10));
        machine.branch(1, other);
        let (exprs, path, _) = machine.finish();
        (exprs, path)
    };
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = path_of(50);
    let inserted = tree.insert(&subject, RunId(0), &exprs, &path);
    let steps: Vec<u32> = inserted.nodes.iter().map(|id| tree.node(*id).step).collect();
    assert_eq!(steps, [0, 50]);
    let (exprs, path) = path_of(7);
    assert_eq!(tree.insert(&subject, RunId(1), &exprs, &path).nodes, [], "as many rounds as one likes");
    assert_eq!(tree.follow(&exprs, &path).len(), 2);
}

#[test]
fn a_flip_can_ask_for_one_way_of_a_switch_known_or_not() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = run(&subject, &[3, 20]);
    let switch = tree.insert(&subject, RunId(0), &exprs, &path).nodes[0];
    let x = exprs.id(1).unwrap();
    let towards = |outcome| flip::constraints(&subject, &tree, switch, (&exprs, &path), 0, Some(outcome));
    let expected: Vec<_> = (0..4).map(towards).collect();
    let one = |case| Some(vec![Constraint::Equals(x, case)]);
    assert_eq!(expected, [one(3), one(5), one(9), Some(vec![Constraint::NoneOf(x, vec![3, 5, 9])])]);

    // What is ruled out is not asked for any more; with all ways known or ruled out, the node is closed.
    assert_eq!(tree.unexplored(switch, &subject), [1, 2, 3]);
    tree.rule_out(switch, 2, &subject);
    assert_eq!(tree.unexplored(switch, &subject), [1, 3]);
    assert!(tree.is_open(switch));
    tree.rule_out(switch, 1, &subject);
    tree.rule_out(switch, 3, &subject);
    assert_eq!(tree.node(switch).state, State::Explored);
}

#[test]
fn a_pinned_value_is_flipped_a_few_times_only() {
    let subject = sample();
    let mut tree = Tree::new(100, 2);
    let (exprs, path) = run(&subject, &[3, 20]);
    let pin = tree.insert(&subject, RunId(0), &exprs, &path).nodes[1];
    for (value, state) in [(21, State::Open), (22, State::Enough)] {
        let (exprs, path) = run(&subject, &[3, value]);
        assert_eq!(tree.insert(&subject, RunId(1), &exprs, &path).turned_at, Some(pin));
        tree.attempted(pin, Attempt::Flipped);
        assert_eq!(tree.node(pin).state, state);
    }
    assert_eq!(tree.explored(pin).collect::<Vec<_>>(), [22, 21, 20]);
}

#[test]
fn an_address_in_an_object_that_lies_elsewhere_is_the_same_way() {
    let subject = sample();
    // The address of an element behind two others whose lengths are inputs, in an object that begins at `start`.
    let read = |start: i64, lengths: [i64; 2]| {
        let mut machine = Machine::new(&subject, &lengths);
        let (first, second) = (machine.inputs[0], machine.inputs[1]);
        let begin = machine.add(first, Word::of(start));
        let address = machine.add(begin, second);
        machine.pin(EventKind::Address, 7, address);
        let less = machine.less(second, Word::of(10));
        machine.branch(1, less);
        let (exprs, path, _) = machine.finish();
        (exprs, path)
    };
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = read(0x5f00, [3, 4]);
    let nodes = tree.insert(&subject, RunId(0), &exprs, &path).nodes;
    let (exprs, path) = read(0x5e80, [3, 4]);
    let inserted = tree.insert(&subject, RunId(1), &exprs, &path);
    assert_eq!((inserted.nodes, inserted.turned_at), (vec![], None));
    // What a flip asks for is said about addresses of the run that it starts from.
    let (exprs_of_other, other) = read(0x5f00, [3, 6]);
    tree.insert(&subject, RunId(2), &exprs_of_other, &other);
    let flipped = flip::constraints(&subject, &tree, nodes[0], (&exprs, &path), 0, None).unwrap();
    assert!(
        matches!(&flipped[..], [Constraint::NoneOf(_, values)] if *values == [0x5e89, 0x5e87]),
        "{flipped:?}"
    );
}

#[test]
fn a_place_in_an_object_is_told_by_how_far_it_is_from_the_start() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let mut insert = |run_id: u32, start: u64, place: u64| {
        let (exprs, path) = run(&subject, &[3, (start + place) as i64]);
        let layout = Layout { alignment: 0, starts: [(1, start)].into() };
        tree.insert(&subject, RunId(run_id), &exprs, &path.in_layout(layout))
    };
    let pin = insert(0, 0x5ff8, 5).nodes[1];
    assert_eq!(insert(1, 0x5fe8, 5).turned_at, None, "the same place in a longer object");
    assert_eq!(insert(2, 0x5ff0, 13).turned_at, Some(pin), "another place at the same address");
}

#[test]
fn another_decision_in_the_same_place_is_a_conflict() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = run(&subject, &[3, 20]);
    tree.insert(&subject, RunId(0), &exprs, &path);
    let mut machine = Machine::new(&subject, &[3, 20]);
    let x = machine.inputs[0];
    machine.switch(0, x);
    let less = machine.less(x, Word::of(10));
    machine.branch(1, less);
    let (exprs, path, _) = machine.finish();
    let inserted = tree.insert(&subject, RunId(1), &exprs, &path);
    assert_eq!(inserted.conflict, Some(1));
    assert_eq!(tree.len(), 3);
}

#[test]
fn a_read_that_leaves_its_table_is_the_other_way_of_its_bounds() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let read = |inside: bool| {
        let mut machine = Machine::new(&subject, &[if inside { 2 } else { 50 }]);
        let offset = machine.inputs[0];
        if inside {
            let less = machine.less(offset, Word::of(10));
            machine.pin(EventKind::Bounds, 7, less);
        } else {
            machine.pin(EventKind::Address, 7, offset);
        }
        let (exprs, path, _) = machine.finish();
        (exprs, path)
    };
    let (exprs, path) = read(true);
    let node = tree.insert(&subject, RunId(0), &exprs, &path).nodes[0];
    let (exprs, path) = read(false);
    assert_eq!(tree.insert(&subject, RunId(1), &exprs, &path).turned_at, Some(node));
    assert_eq!(tree.node(node).state, State::Explored);
}

#[test]
fn paths_of_another_alignment_have_nodes_of_their_own() {
    let subject = sample();
    let mut tree = Tree::new(100, 4);
    let (exprs, path) = run(&subject, &[3, 20]);
    let first = tree.insert(&subject, RunId(0), &exprs, &path).nodes;
    let path = path.in_layout(Layout { alignment: 7, ..Layout::default() });
    let inserted = tree.insert(&subject, RunId(1), &exprs, &path);
    assert_eq!((inserted.nodes.len(), inserted.conflict), (first.len(), None));
    assert_eq!(tree.roots().collect::<Vec<_>>(), [first[0], inserted.nodes[0]]);
    let followed: Vec<_> = tree.follow(&exprs, &path).iter().map(|visit| visit.node).collect();
    assert_eq!(followed, inserted.nodes);
}
