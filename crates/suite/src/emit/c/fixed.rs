//! Memory at fixed addresses: tests map pages of zeros where the code under test expects a device, and name its registers.

use std::collections::BTreeSet;
use std::fmt::Write;
use testwright_base::subject::{Fixed, Subject};

/// The name of the header that maps them.
pub const HEADER_NAME: &str = "testwright_fixed.h";

const PAGE: u64 = 4096;

/// What the header begins with.
const HEAD: &str = "\
/* Memory at the fixed addresses that the code under test uses. Pages of zeros stand for the devices; tests set the
 * registers by name. Written by Testwright. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
";

/// How the pages get there before the first test.
const TAIL: &str = "
/* Every file of tests of a program defines this; the linker takes one definition, so the first file maps the pages. */
__attribute__((weak)) int fixed_pages_are_mapped;

__attribute__((constructor)) static void map_fixed_pages(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

    if (fixed_pages_are_mapped++) {
        return;
    }
    for (size_t i = 0; i < sizeof fixed_pages / sizeof *fixed_pages; i++) {
        void *page = (void *)fixed_pages[i];
        if (mmap(page, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) != page) {
            fprintf(stderr, \"cannot map a page at %p: this build has something there\\n\", page);
            exit(1);
        }
    }
}
";

/// The header; none if the code uses no such memory.
#[must_use]
pub fn header(subject: &Subject) -> Option<String> {
    if subject.fixed.is_empty() {
        return None;
    }
    let mut text = format!("{HEAD}\n");
    for Fixed { name, address, size } in &subject.fixed {
        let ty = match size {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "unsigned int",
            _ => "unsigned long",
        };
        let _ = writeln!(text, "#define {name} (*(volatile {ty} *){address:#x}ul)");
    }
    let pages = |fixed: &Fixed| [fixed.address / PAGE * PAGE, (fixed.address + fixed.size - 1) / PAGE * PAGE];
    let pages: BTreeSet<u64> = subject.fixed.iter().flat_map(pages).collect();
    let pages: Vec<String> = pages.into_iter().map(|page| format!("{page:#x}ul")).collect();
    let _ = write!(text, "\nstatic const unsigned long fixed_pages[] = {{{}}};\n{TAIL}", pages.join(", "));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::sample;

    #[test]
    fn registers_have_names_and_their_pages_are_mapped_once() {
        let mut subject = sample::empty_subject();
        assert_eq!(header(&subject), None);
        let fixed = |address: u64, size| Fixed { name: format!("at_{address:#x}"), address, size };
        subject.fixed = vec![fixed(0x4001_1000, 4), fixed(0x4001_1ffe, 4), fixed(0x4002_1c00, 2)];
        let text = header(&subject).unwrap();
        assert!(
            text.contains("#define at_0x40021c00 (*(volatile unsigned short *)0x40021c00ul)\n"),
            "{text}"
        );
        assert!(text.contains("fixed_pages[] = {0x40011000ul, 0x40012000ul, 0x40021000ul};"), "{text}");
    }
}
