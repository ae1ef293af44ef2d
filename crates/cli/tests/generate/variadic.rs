//! Functions with dots and functions that take a `va_list` get as many arguments as they read.

use crate::support::{Bench, check_success, compilers};
use std::process::Command;

/// Every branch is covered, nothing is called a finding, and the tests compile without a warning.
#[track_caller]
fn covers_everything(text: &str) -> String {
    let bench = Bench::new(text);
    bench.generate_everything(&["--runs", "500", "--seed", "1"]);
    for compiler in compilers() {
        let mut command = Command::new(compiler);
        command.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]);
        let output = command.arg("subject_test.c").current_dir(bench.path("out")).output();
        check_success(&output.expect("the compiler starts"));
    }
    bench.read("out/subject_test.c")
}

#[test]
fn a_count_gets_as_many_arguments_as_it_asks_for() {
    let tests = covers_everything(
        "#include <stdarg.h>
        int sum(int count, ...)
        {
            va_list ap;
            int total = 0;
            va_start(ap, count);
            for (int i = 0; i < count; i++) total += va_arg(ap, int) & 1023;
            va_end(ap);
            if (count == 3 && total == 700) return -1;
            return total;
        }",
    );
    assert!(tests.contains("sum(3, "), "{tests}");
    for (before, arguments) in tests.lines().filter_map(|line| line.split_once(" = sum(")) {
        let count = arguments.split([',', ')']).next().and_then(|count| count.parse().ok());
        assert_eq!(count, Some(arguments.matches(", ").count()), "{before} {arguments}");
    }
}

#[test]
fn texts_numbers_and_fractions_behind_dots_are_of_the_type_that_is_read() {
    let tests = covers_everything(
        "#include <stdarg.h>
        #include <stddef.h>
        int average(int count, ...)
        {
            va_list ap;
            double total = 0;
            va_start(ap, count);
            for (int i = 0; i < count; i++) total += va_arg(ap, double);
            va_end(ap);
            return total > 2.5;
        }
        int words(int first, ...)
        {
            va_list ap;
            const char *word;
            int count = first;
            va_start(ap, first);
            while ((word = va_arg(ap, const char *)) != NULL && count < 3) count += word[0] == 'w';
            va_end(ap);
            return count == 1;
        }
        int pair(int tag, ...)
        {
            va_list ap;
            va_start(ap, tag);
            long key = va_arg(ap, long);
            double weight = va_arg(ap, double);
            va_end(ap);
            return key == 12 && weight > 1.0 ? tag : 0;
        }",
    );
    assert!(tests.contains("(char *)NULL)"), "{tests}");
    assert!(tests.contains(", (long)12, "), "{tests}");
}

#[test]
fn a_va_list_is_made_by_a_function_of_the_tests() {
    let tests = covers_everything(
        "#include <stdarg.h>
        int last(unsigned char count, va_list ap)
        {
            int value = 0;
            while (count-- > 0) value = va_arg(ap, int);
            if (value == 42) return 1;
            return 0;
        }
        void keep(int *to, va_list ap) { if (va_arg(ap, int) == 7) *to = 7; else *to = 1; }",
    );
    assert!(tests.contains("static int last_with(unsigned char count, int before_list, ...)"), "{tests}");
    assert!(tests.contains("last_with(1, 0, 42)"), "{tests}");
    assert!(tests.contains("static void keep_with(int *to, ...)"), "{tests}");
}

#[test]
fn formats_get_the_arguments_that_they_ask_for() {
    let tests = covers_everything(
        "#include <stdarg.h>
        #include <stdio.h>
        int log_line(char *buffer, size_t n, const char *format, ...)
        {
            va_list ap;
            int length;
            if (!buffer || !format || n == 0) return -1;
            va_start(ap, format);
            length = vsnprintf(buffer, n, format, ap);
            va_end(ap);
            if ((size_t)length >= n) return -2;
            return length;
        }
        int log_list(char *buffer, const char *format, va_list ap) { return vsprintf(buffer, format, ap); }",
    );
    for expected in [
        "\"-70000\"",
        "\"1234.50\"",
        "\"%d: %s\"",
        ", 42, ",
        "\"42: abc\"",
        "\"%ld\"",
        ", (long)-70000)",
        "\"%.2f\"",
        ", 1234.5)",
    ] {
        assert!(tests.contains(expected), "{expected}: {tests}");
    }
}

#[test]
fn formats_that_do_not_fit_the_arguments_are_no_inputs() {
    let bench = Bench::new(
        "#include <stdarg.h>
        #include <stdio.h>
        int line(char *to, size_t size, const char *format, ...)
        {
            va_list ap;
            int length;
            if (!to || !format || size == 0) return -1;
            va_start(ap, format);
            length = vsnprintf(to, size, format, ap);
            va_end(ap);
            return (size_t)length >= size ? -2 : length;
        }
        int named(int number) { char to[16]; return line(to, sizeof to, \"%s%d\", \"x\", number); }",
    );
    let printed = bench.generate(&["--runs", "300", "--seed", "1"]);
    for name in ["line", "named"] {
        let function = bench.function(name);
        assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
        assert_ne!(function["tests"].as_array().map(Vec::len), Some(0), "{printed}");
    }
    let branches = &bench.function("line")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{printed}");
    bench.check();
}

#[test]
fn arguments_of_several_types_in_any_order_are_numbers_only() {
    let tests = covers_everything(
        "#include <stdarg.h>
        int print(char *to, const char *format, ...)
        {
            va_list ap;
            int used = 0;
            va_start(ap, format);
            for (; *format && used < 2; format++) {
                if (*format == 'd') to[used++] = (char)('0' + (va_arg(ap, int) & 7));
                else if (*format == 's') to[used++] = *va_arg(ap, const char *);
                else if (*format == 'f') to[used++] = (char)('0' + (va_arg(ap, double) > 1.0));
                else to[used++] = *format;
            }
            va_end(ap);
            return used;
        }
        int both(char *to) { return print(to, \"sfd\", \"text\", 2.0, 3); }",
    );
    assert!(tests.contains("both("), "{tests}");
}
