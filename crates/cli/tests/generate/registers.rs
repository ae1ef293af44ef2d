//! Memory at fixed addresses: registers are inputs, and nothing of ours lies where code for devices looks.

use crate::support::Bench;

const UART: &str = "\
#include <stdint.h>
struct uart { volatile uint32_t status; volatile uint32_t data; };
#define UART ((struct uart *)0x10000000)
#define CLOCK (*(volatile uint16_t *)0x40021c00)

int send(unsigned char byte)
{
    if (UART->status & 0x20)
        return -1;
    if (CLOCK > 1000)
        return -2;
    UART->data = byte + 1;
    return 0;
}
";

const FIFO: &str = "\
int fifo(int i)
{
    volatile unsigned *base = (volatile unsigned *)0x10000000;
    if (i < 0 || i > 3)
        return -1;
    if (base[i] == 7)
        return 1;
    return 0;
}
";

#[test]
fn registers_are_inputs_and_what_is_written_to_them_is_asserted() {
    let bench = Bench::new(UART);
    let printed = bench.generate(&["--runs", "100"]);
    assert!(printed.contains("4/4 branches"), "{printed}");
    bench.check();
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("at_0x40021c00 = "), "{tests}");
    assert!(tests.contains("CHECK_EQ(at_0x10000004, 1);"), "{tests}");
}

#[test]
fn an_address_that_is_computed_is_named_and_nothing_behind_it_is_said_to_be_impossible() {
    let bench = Bench::new(FIFO);
    let printed = bench.generate(&["--runs", "100"]);
    assert!(printed.contains("assumes  there is memory at the fixed address 0x10000000"), "{printed}");
    assert!(!printed.contains("finding"), "{printed}");
    assert!(!printed.contains("infeasible"), "{printed}");
}
