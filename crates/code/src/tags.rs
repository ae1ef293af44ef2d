//! Tags of unions: the code shows which member goes with which value of a field beside the union.
//!
//! ```text
//! switch (v->kind) { case REAL: return v->as.real > 2.5; ..
//!
//!         %kind = load i32, (getelementptr %struct.value, ptr %v, i32 0, i32 0)
//!         switch i32 %kind, label %other [ i32 1, label %real ..
//! real:   %real = load double, (getelementptr %struct.value, ptr %v, i32 0, i32 1)      so 1 goes with the double
//! ```
//!
//! Where two members look alike to the machine, both go with the tag. What functions do with a union that is handed to
//! them is not followed, nor are tags that are bit-fields.

mod places;

use crate::inspect::condition::condition;
use places::{Access, Place, Places, is_same};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, TypeId};
use testwright_base::layout::integer;
use testwright_base::site::sign_extend;
use testwright_base::subject::Subject;
use testwright_base::tagged::Tagged;
use testwright_base::types::{Field, Shape, Types};
use testwright_llvm::{Block, IntPredicate, Module, Opcode, Value};

/// By struct, tag and union: the members that are used with values of the tag.
type Used = BTreeMap<(TypeId, usize, usize), BTreeMap<i128, BTreeSet<usize>>>;

/// Finds the tags of unions. Locals must be values already.
pub fn find(module: &Module<'_>, subject: &mut Subject) {
    let mut used = Used::new();
    let mut places = Places::new(module, &subject.types);
    if places.is_empty() {
        return;
    }
    for function in module.functions() {
        look_at(function, &mut places, &mut used);
    }
    for (record, tagged) in consistent(&subject.types, used) {
        // The same struct by its other names.
        let shape = subject.types.get(record).shape.clone();
        for id in (0..subject.types.len()).map(TypeId::of) {
            if subject.types.get(id).shape == shape {
                subject.types.set_tagged(id, tagged.clone());
            }
        }
    }
}

/// The tag of a struct has one of these values in all blocks that `entry` dominates.
struct Fact<'c> {
    record: TypeId,
    base: Value<'c>,
    tag: usize,
    values: BTreeSet<i128>,
    entry: BlockId,
}

/// Adds what a function uses after it has asked for a tag.
fn look_at<'c>(function: Value<'c>, places: &mut Places<'_, 'c>, used: &mut Used) {
    let blocks = function.blocks();
    let mut accesses = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for access in block.instructions().into_iter().filter_map(Access::of) {
            let found = places.of(access.pointer).into_iter();
            accesses.extend(found.map(|place| (BlockId::of(number), access, place)));
        }
    }
    // Most functions use no such struct.
    if accesses.is_empty() {
        return;
    }
    let numbers: HashMap<Block<'_>, BlockId> =
        blocks.iter().enumerate().map(|(number, block)| (*block, BlockId::of(number))).collect();
    let successors = |block: &Block<'c>| {
        let targets = block.terminator().map(Value::successors).unwrap_or_default();
        targets.iter().map(|target| numbers[target]).collect()
    };
    let flow = FlowGraph::new(blocks.iter().map(successors).collect());
    let branches = blocks.iter().filter_map(|block| block.terminator());
    let facts: Vec<Fact<'_>> = branches.flat_map(|branch| facts(branch, places, &numbers, &flow)).collect();
    for (block, access, place) in accesses {
        let Some((union, members)) = places.members(access, &place) else { continue };
        for (tag, values) in known(&facts, &place, block, &flow) {
            let used = used.entry((place.record, tag, union)).or_default();
            for value in values {
                used.entry(value).or_default().extend(&members);
            }
        }
    }
}

/// The values that the tags of a struct may have in a block.
fn known(
    facts: &[Fact<'_>],
    place: &Place<'_>,
    block: BlockId,
    flow: &FlowGraph,
) -> BTreeMap<usize, BTreeSet<i128>> {
    let mut known: BTreeMap<usize, BTreeSet<i128>> = BTreeMap::new();
    let holds = |fact: &&Fact<'_>| {
        fact.record == place.record && flow.dominates(fact.entry, block) && is_same(fact.base, place.base)
    };
    for fact in facts.iter().filter(holds) {
        let values = known.entry(fact.tag).or_insert_with(|| fact.values.clone());
        values.retain(|value| fact.values.contains(value));
    }
    known
}

/// What is known of tags where a branch or switch leads to.
fn facts<'c>(
    branch: Value<'c>,
    places: &mut Places<'_, 'c>,
    numbers: &HashMap<Block<'c>, BlockId>,
    flow: &FlowGraph,
) -> Vec<Fact<'c>> {
    let Some(Question { asked, ways }) = Question::of(branch) else { return Vec::new() };
    let load = unwidened(asked);
    let Some(access) = Access::of(load).filter(|_| load.opcode() == Some(Opcode::LLVMLoad)) else {
        return Vec::new();
    };
    let from = numbers[&branch.block()];
    let mut found = Vec::new();
    for place in places.of(access.pointer) {
        let Some((tag, field)) = places.tag(access, &place) else { continue };
        for (target, way) in &ways {
            let entry = numbers[target];
            // Who comes another way may have any tag.
            if flow.predecessors(entry) != [from] {
                continue;
            }
            let values = values(places.types, field, asked.ty().int_width(), way);
            let values = values.into_iter().flatten().collect();
            found.push(Fact { record: place.record, base: place.base, tag, values, entry });
        }
    }
    found.retain(|fact| !fact.values.is_empty());
    found
}

/// For which values control takes a way.
enum Way {
    /// One of these.
    If(Vec<u128>),
    /// All but these.
    Unless(Vec<u128>),
}

/// What a branch or switch asks for constants.
struct Question<'c> {
    asked: Value<'c>,
    ways: Vec<(Block<'c>, Way)>,
}

impl<'c> Question<'c> {
    fn of(branch: Value<'c>) -> Option<Question<'c>> {
        match branch.opcode()? {
            Opcode::LLVMSwitch => Some(Question::of_switch(branch)),
            _ if branch.is_conditional() => Question::of_branch(branch),
            _ => None,
        }
    }

    fn of_switch(switch: Value<'c>) -> Question<'c> {
        let (default, cases) = (switch.successors()[0], switch.switch_cases());
        let values = |is_wanted: &dyn Fn(Block<'c>) -> bool| {
            cases.iter().filter(|(_, target)| is_wanted(*target)).map(|(value, _)| *value).collect()
        };
        let mut ways = vec![(default, Way::Unless(values(&|target| target != default)))];
        for (_, target) in &cases {
            if !ways.iter().any(|(known, _)| known == target) {
                ways.push((*target, Way::If(values(&|other| other == *target))));
            }
        }
        Question { asked: switch.condition(), ways }
    }

    fn of_branch(branch: Value<'c>) -> Option<Question<'c>> {
        let decides = condition(branch);
        let (asked, with, equal) = match decides.compare {
            // A boolean decides by itself.
            None => (branch.condition(), 0, false),
            Some(compare) if compare.opcode() == Some(Opcode::LLVMICmp) => {
                let equal = match compare.int_predicate() {
                    IntPredicate::LLVMIntEQ => true,
                    IntPredicate::LLVMIntNE => false,
                    _ => return None,
                };
                (compare.operand(0), compare.operand(1).constant_int()?, equal != decides.negated)
            }
            Some(_) => return None,
        };
        let [is, is_not] = if equal { [0, 1] } else { [1, 0] }.map(|index| branch.successors()[index]);
        Some(Question { asked, ways: vec![(is, Way::If(vec![with])), (is_not, Way::Unless(vec![with]))] })
    }
}

/// The value before its width was changed.
fn unwidened(mut value: Value<'_>) -> Value<'_> {
    while let Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) =
        value.opcode()
    {
        value = value.operand(0);
    }
    value
}

/// The values of a tag with which control takes a way; none if there is no list of them.
fn values(types: &Types, tag: &Field, width: u32, way: &Way) -> Option<Vec<i128>> {
    let (bits, signed) = integer(types, tag.ty)?;
    let as_tag = |constant: &u128| {
        let value = sign_extend(*constant, width);
        if signed { sign_extend(value as u128, bits) } else { value & (i128::MAX >> (127 - bits.min(127))) }
    };
    match way {
        Way::If(values) => Some(values.iter().map(as_tag).collect()),
        Way::Unless(values) => {
            let others: Vec<i128> = values.iter().map(as_tag).collect();
            let all = match &types.get(tag.ty).shape {
                Shape::Bool => vec![0, 1],
                Shape::Enum { constants, .. } => constants.iter().map(|(_, value)| *value).collect(),
                _ => return None,
            };
            Some(all.into_iter().filter(|value| !others.contains(value)).collect())
        }
    }
}

/// The unions whose tags tell something: no value goes with every member, and one of them with a single one. Of several
/// fields the one that tells most is the tag.
fn consistent(types: &Types, used: Used) -> BTreeMap<TypeId, Vec<Tagged>> {
    let mut found: BTreeMap<TypeId, Vec<Tagged>> = BTreeMap::new();
    for ((record, tag, union), used) in used {
        let Some(count) = places::union_members(types, record, union).map(<[Field]>::len) else { continue };
        let tells = used.values().all(|members| members.len() < count);
        if !tells || !used.values().any(|members| members.len() == 1) {
            continue;
        }
        let members = used.into_iter().map(|(value, members)| (value, members.into_iter().collect()));
        let tagged = Tagged { tag, union, members: members.collect() };
        let of_record = found.entry(record).or_default();
        match of_record.iter_mut().find(|other| other.union == union) {
            Some(other) if other.members.len() < tagged.members.len() => *other = tagged,
            Some(_) => {}
            None => of_record.push(tagged),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::{bitcode, clangs};
    use crate::prepare::prepare;
    use testwright_base::ids::TypeId;
    use testwright_base::types::{Field, Shape};

    fn name(field: &Field) -> String {
        field.name.clone().unwrap_or_default()
    }

    /// Compares the tags of the first struct that has any, as `kind 1: real number`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        for clang in clangs() {
            let folder = tempfile::tempdir().unwrap();
            let (bitcode, files) = bitcode(folder.path(), &[text], &clang).unwrap();
            let types = prepare(crate::frontend(), &bitcode, &files).unwrap().subject.types;
            let record = (0..types.len()).map(TypeId::of).find(|id| !types.tagged(*id).is_empty());
            let mut found = Vec::new();
            for tagged in record.iter().flat_map(|record| types.tagged(*record)) {
                let Shape::Record { fields, .. } = &types.get(record.unwrap()).shape else { unreachable!() };
                let union = super::places::union_members(&types, record.unwrap(), tagged.union).unwrap();
                for (value, members) in &tagged.members {
                    let members: Vec<String> = members.iter().map(|member| name(&union[*member])).collect();
                    found.push(format!("{} {value}: {}", name(&fields[tagged.tag]), members.join(" ")));
                }
            }
            assert_eq!(found, expected, "{}", clang.version);
        }
    }

    const VALUE: &str = "enum kind { NUMBER, REAL, TEXT };
        struct value { enum kind kind; union { long number; double real; const char *text; } as; };";

    #[test]
    fn a_switch_tells_the_members_by_their_types() {
        check(
            &format!(
                "{VALUE} int f(const struct value *v) {{ switch (v->kind) {{ case NUMBER: return v->as.number == 42;
                case REAL: return v->as.real > 2.5; case TEXT: return v->as.text[0] == 'x'; }} return 0; }}"
            ),
            &["kind 0: number", "kind 1: real", "kind 2: text"],
        );
    }

    #[test]
    fn comparisons_tell_too_and_of_an_enumeration_also_what_is_left() {
        check(
            &format!(
                "{VALUE} double f(struct value *v, int i) {{ if (v[i].kind == TEXT) return v[i].as.text[0];
                if (v[i].kind != REAL) return v[i].as.number; v[i].as.real = 3; return 0; }}"
            ),
            &["kind 0: number", "kind 1: real", "kind 2: text"],
        );
    }

    #[test]
    fn structs_are_told_apart_by_what_is_in_them() {
        check(
            "struct event { int type; union { struct { long x, y; } move; struct { char *text; long n; } key; }; };
            int f(const struct event *e) { if (e->type == 1) return e->move.y == 13;
            if (e->type == -2 && e->key.n > 2) return e->key.text[0]; return 0; }",
            &["type -2: key", "type 1: move"],
        );
    }

    #[test]
    fn members_of_one_type_go_together() {
        check(
            "struct v { int t; union { int a; int b; float c; }; };
            int f(struct v *v) { if (v->t == 1) return v->a; if (v->t == 2) return v->c > 1; return 0; }",
            &["t 1: a b", "t 2: c"],
        );
    }

    #[test]
    fn a_field_that_does_not_tell_is_no_tag() {
        check(
            "struct v { int t; union { int a; float c; }; };
            int f(struct v *v, struct v *w) { if (v->t == 1) return v->a + (v->c > 1); return v->a; }
            int g(struct v *v, struct v *w) { if (v->t == 2) return w->a; return 0; }",
            &[],
        );
    }
}
