//! Streams: what a function reads from a `FILE *` is an input, and what it writes is asserted.

use crate::support::{Bench, check_success, compilers};

const SUBJECT: &str = "#include <stdio.h>
#include <string.h>
int count_lines(FILE *f)
{
    int lines = 0, c;
    while ((c = fgetc(f)) != EOF)
        if (c == '\\n')
            lines++;
    return lines > 2 ? -1 : lines;
}
int parse_number(FILE *in, int *result)
{
    int c = getc(in), sign = 1, digits = 0, value = 0;
    if (c == '-') {
        sign = -1;
        c = getc(in);
    }
    for (; c >= '0' && c <= '9' && digits < 6; digits++) {
        value = 10 * value + (c - '0');
        c = getc(in);
    }
    if (digits == 0)
        return 0;
    if (c != EOF && c != '\\n')
        ungetc(c, in);
    if (value == 42)
        return 2;
    *result = sign * value;
    return 1;
}
void print_total(FILE *out, int n)
{
    if (n < 0)
        fputs(\"negative\\n\", out);
    else if (n == 1)
        fprintf(out, \"one item\\n\");
    else
        fprintf(out, \"total: %d items\\n\", n);
}
int greeting(FILE *in, FILE *out)
{
    char line[16];
    if (!in)
        return -1;
    if (!fgets(line, sizeof line, in))
        return 0;
    if (strncmp(line, \"hello\", 5) == 0) {
        fputc('!', out);
        fclose(out);
        return 1;
    }
    return 2;
}
";

const PEDANTIC: &str = "-g -Wall -Wextra -Wpedantic -Werror";

#[test]
fn what_is_read_is_an_input_and_what_is_written_is_asserted() {
    let bench = Bench::new(SUBJECT);
    let printed = bench.generate(&["--runs", "2000", "--seed", "1", "--format", "plain,cmocka,gtest"]);
    for name in ["count_lines", "parse_number", "print_total", "greeting"] {
        let function = bench.function(name);
        assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{name}\n{printed}");
        assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    }
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("    FILE *out = text_stream(\"\");\n\n    print_total(out, -1);\n"), "{text}");
    assert!(text.contains("    CHECK_STREAM(out, \"negative\\n\");\n"), "{text}");
    assert!(text.contains("    FILE *in = text_stream(\"hello\");\n"), "{text}");
    assert!(text.contains("    int result = greeting(NULL, NULL);\n"), "the code asks for null: {text}");
    assert!(!text.contains("count_lines(NULL)"), "here it does not: {text}");
    for compiler in compilers() {
        let arguments = ["check", &format!("CC={compiler}"), &format!("CFLAGS={PEDANTIC}")];
        check_success(&bench.make(&arguments));
    }
    bench.write("subject.c", &SUBJECT.replace("total: %d items", "total: %d things"));
    let broken = bench.make(&["check"]);
    let said = String::from_utf8_lossy(&broken.stdout).into_owned();
    assert!(!broken.status.success() && said.contains("expected to hold \"total: "), "{said}");
}

#[test]
fn streams_in_structs_and_files_in_pieces_are_inputs_too() {
    let bench = Bench::new(
        "#include <stdio.h>
        #include <stdlib.h>
        struct logger { FILE *to; int level; };
        int report(struct logger *l, int level)
        {
            if (!l->to)
                return 0;
            if (level <= l->level)
                return 2;
            fprintf(l->to, \"level %d\\n\", level);
            return 1;
        }
        struct header { char magic[2]; unsigned short width; };
        int width(FILE *f)
        {
            struct header h;
            if (fread(&h, sizeof h, 1, f) != 1)
                return -1;
            if (h.magic[0] != 'B' || h.magic[1] != 'M')
                return -2;
            return h.width > 1000 ? -3 : h.width;
        }
        int longest(FILE *f)
        {
            char *line = NULL;
            size_t size = 0;
            long n, best = 0;
            while ((n = getline(&line, &size, f)) != -1)
                if (n > best)
                    best = n;
            free(line);
            return best > 3;
        }
        long size(FILE *f)
        {
            fseek(f, 0, SEEK_END);
            return ftell(f) > 5 ? 5 : ftell(f);
        }",
    );
    let printed = bench.generate(&["--runs", "2000", "--seed", "1"]);
    for name in ["report", "width", "longest", "size"] {
        let function = bench.function(name);
        assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{name}\n{printed}");
        assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    }
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(
        text.contains("    l.to = l_to;\n") && text.contains("CHECK_STREAM(l_to, \"level 1\\n\");"),
        "{text}"
    );
}

#[test]
fn words_and_numbers_are_read_by_a_format() {
    let bench = Bench::new(
        "#include <stdio.h>
        #include <string.h>
        int command(FILE *f)
        {
            char word[8];
            if (fscanf(f, \"%7s\", word) == EOF)
                return -1;
            return strcmp(word, \"push\") == 0 ? 1 : 0;
        }
        int digit(FILE *f)
        {
            unsigned value;
            if (fscanf(f, \"%u\", &value) != 1)
                return -1;
            return value > 7;
        }",
    );
    let printed = bench.generate(&["--runs", "400", "--seed", "1"]);
    for name in ["command", "digit"] {
        let function = bench.function(name);
        assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{name}\n{printed}");
    }
    bench.check();
    assert!(bench.read("out/subject_test.c").contains("text_stream(\"push\")"), "{printed}");
}

#[test]
fn what_cannot_be_followed_is_neither_tested_nor_a_finding() {
    let bench = Bench::new(
        "#include <stdio.h>
        #include <wchar.h>
        int scan(FILE *f, int x)
        {
            wchar_t text[4];
            if (x > 3)
                return 1;
            return fgetws(text, 4, f) != NULL;
        }",
    );
    let printed = bench.generate(&["--runs", "200", "--seed", "1"]);
    let function = bench.function("scan");
    assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    assert_eq!(function["branches"]["covered"], 1, "{printed}");
    bench.check();
}
