//! Metadata nodes, read from the text form of a module.
//!
//! LLVM's C interface shows little of debug information, but its text form has all of it, a node per line:
//!
//! ```text
//! define i32 @f(i32 %0) !dbg !29 {
//! @counter = internal global i32 0, !dbg !27
//! !6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
//! !31 = !{!6, null}
//! ```
//!
//! Lines are only found here; fields are parsed when somebody asks for them.

use std::collections::HashMap;

/// The nodes of a module, and which function and global has which.
#[derive(Debug, Default)]
pub struct Metadata<'t> {
    nodes: Vec<Node<'t>>,
    /// By LLVM name: the subprogram of a function, the variable expression of a global.
    attached: HashMap<String, Reference>,
    /// All nodes that describe local variables.
    locals: Vec<Reference>,
}

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference(pub usize);

/// A node: its kind, such as `DIBasicType`, and what is between its parentheses; a list has no kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Node<'t> {
    /// `DIBasicType`; empty for a list.
    pub kind: &'t str,
    content: &'t str,
}

impl<'t> Metadata<'t> {
    /// Finds the nodes in the text of a module.
    #[must_use]
    pub fn of(text: &'t str) -> Metadata<'t> {
        let mut metadata = Metadata::default();
        for line in text.lines() {
            match line.as_bytes().first() {
                Some(b'!') => metadata.add_node(line),
                Some(b'@') => metadata.attach(line),
                Some(b'd') if line.starts_with("define ") => {
                    if let Some(at) = line.find(" @") {
                        metadata.attach(&line[at + 1..]);
                    }
                }
                _ => {}
            }
        }
        metadata
    }

    /// `!12 = distinct !DIKind(..)` or `!12 = !{..}`; named metadata such as `!llvm.ident` has no number.
    fn add_node(&mut self, line: &'t str) {
        let Some((number, node)) = line[1..].split_once(" = ") else { return };
        let Ok(number) = number.parse::<usize>() else { return };
        let node = node.strip_prefix("distinct ").unwrap_or(node);
        let Some(node) = node.strip_prefix('!') else { return };
        let Some(start) = node.find(['(', '{']) else { return };
        let kind = &node[..start];
        if self.nodes.len() <= number {
            self.nodes.resize(number + 1, Node::default());
        }
        self.nodes[number] = Node { kind, content: &node[start + 1..node.len() - 1] };
        if kind == "DILocalVariable" {
            self.locals.push(Reference(number));
        }
    }

    /// `@name ... !dbg !5`; the last one counts, because a string may look like one.
    fn attach(&mut self, line: &'t str) {
        let Some(at) = line.rfind("!dbg !") else { return };
        let digits = &line[at + "!dbg !".len()..];
        let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
        let (Some(name), Ok(number)) = (global_name(line), digits[..end].parse()) else { return };
        self.attached.insert(name, Reference(number));
    }

    /// The node that belongs to the function or global with this LLVM name.
    #[must_use]
    pub fn attached(&self, name: &str) -> Option<Reference> {
        self.attached.get(name).copied()
    }

    /// A node; one that does not exist has no fields.
    #[must_use]
    pub fn node(&self, reference: Reference) -> Node<'t> {
        self.nodes.get(reference.0).copied().unwrap_or_default()
    }

    /// All nodes with their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (Reference, Node<'t>)> {
        self.nodes.iter().enumerate().map(|(number, node)| (Reference(number), *node))
    }

    /// All nodes that describe local variables.
    pub fn locals(&self) -> impl Iterator<Item = Node<'t>> {
        self.locals.iter().map(|reference| self.node(*reference))
    }

    /// The elements of the list that a field refers to; none for `null` elements.
    #[must_use]
    pub fn list(&self, node: Node<'t>, field: &str) -> Vec<Option<Reference>> {
        let Some(list) = node.reference(field) else { return Vec::new() };
        split(self.node(list).content).map(reference).collect()
    }
}

impl<'t> Node<'t> {
    /// The text of a field.
    #[must_use]
    pub fn field(self, name: &str) -> Option<&'t str> {
        split(self.content).find_map(|field| field.strip_prefix(name)?.strip_prefix(": "))
    }

    /// A field that refers to another node.
    #[must_use]
    pub fn reference(self, name: &str) -> Option<Reference> {
        reference(self.field(name)?)
    }

    /// A field that is a number.
    #[must_use]
    pub fn number(self, name: &str) -> Option<i128> {
        self.field(name)?.parse().ok()
    }

    /// A field that is a count of bits or a line; 0 if it is absent, as LLVM leaves out zeros.
    #[must_use]
    pub fn size(self, name: &str) -> u64 {
        self.field(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// A field that is a string.
    #[must_use]
    pub fn string(self, name: &str) -> Option<String> {
        let text = self.field(name)?.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(text))
    }

    /// Whether the field `flags` names this flag.
    #[must_use]
    pub fn has_flag(self, flag: &str) -> bool {
        self.field("flags").is_some_and(|flags| flags.split(" | ").any(|it| it == flag))
    }
}

fn reference(text: &str) -> Option<Reference> {
    text.strip_prefix('!')?.parse().ok().map(Reference)
}

/// The parts between the commas that are not inside a string or nested node.
fn split(content: &str) -> impl Iterator<Item = &str> {
    let mut rest = content;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = end_of_part(rest);
        let part = &rest[..end];
        rest = rest[end..].strip_prefix(',').unwrap_or("").trim_start();
        Some(part)
    })
}

fn end_of_part(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            // A quote inside a string is written \22.
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The name after `@`, which stands in quotes if it has unusual characters.
fn global_name(line: &str) -> Option<String> {
    let name = line.strip_prefix('@')?;
    if let Some(quoted) = name.strip_prefix('"') {
        return quoted.find('"').map(|end| unescape(&quoted[..end]));
    }
    let usual = |character: char| character.is_ascii_alphanumeric() || "-$._".contains(character);
    let end = name.find(|character| !usual(character)).unwrap_or(name.len());
    Some(name[..end].to_owned())
}

/// Replaces `\5C` and the like by the byte they stand for, and `\\` by a backslash.
fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], code) {
            (b'\\', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (b'\\', None) if bytes.get(at + 1) == Some(&b'\\') => {
                out.push(b'\\');
                at += 2;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"; ModuleID = 'x'
@plain = internal global i32 0, align 4, !dbg !0
@"odd name" = global [9 x i8] c", !dbg !7", !dbg !1
@none = global i32 0
define i32 @f(i32 %0, ptr byval({ i32 }) %1) #0 !dbg !2 {
  ret i32 %0, !dbg !9
}
!llvm.ident = !{!3}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_plus, 3))
!1 = distinct !DIGlobalVariable(name: "a\22, b: !5\5C", line: 12, flags: A | B, size: 3)
!2 = distinct !DISubprogram(name: "f", type: null)
!3 = !{!"text, with !4", !1, null, i32 7, !2}
!4 = !DILocalVariable(name: "x", arg: 1, scope: !2, list: !3)
"#;

    #[test]
    fn nodes_are_attached_to_functions_and_globals() {
        let metadata = Metadata::of(TEXT);
        let attached =
            ["plain", "odd name", "none", "f"].map(|name| metadata.attached(name).map(|node| node.0));
        assert_eq!(attached, [Some(0), Some(1), None, Some(2)]);
    }

    #[test]
    fn fields_are_told_apart_from_strings_and_nested_nodes() {
        let metadata = Metadata::of(TEXT);
        let node = metadata.node(Reference(1));
        assert_eq!(node.kind, "DIGlobalVariable");
        assert_eq!(node.string("name").as_deref(), Some("a\", b: !5\\"));
        assert_eq!((node.size("line"), node.size("size"), node.size("align")), (12, 3, 0));
        assert_eq!((node.has_flag("A"), node.has_flag("B"), node.has_flag("C")), (true, true, false));
        assert_eq!(node.field("b"), None);
        let outer = metadata.node(Reference(0));
        assert_eq!(outer.field("expr"), Some("!DIExpression(DW_OP_plus, 3)"));
        assert_eq!(outer.reference("var"), Some(Reference(1)));
        assert_eq!(metadata.node(Reference(2)).reference("type"), None);
    }

    #[test]
    fn lists_keep_their_gaps() {
        let metadata = Metadata::of(TEXT);
        let local = metadata.locals().next().unwrap();
        let list = metadata.list(local, "list");
        assert_eq!(list, [None, Some(Reference(1)), None, None, Some(Reference(2))]);
    }

    #[test]
    fn a_node_that_does_not_exist_has_no_fields() {
        let node = Metadata::of(TEXT).node(Reference(99));
        assert_eq!((node.kind, node.field("name"), node.size("size")), ("", None, 0));
    }
}
