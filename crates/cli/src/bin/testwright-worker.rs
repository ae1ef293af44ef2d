//! The worker: the process in which code under test runs; started by `testwright` only.

fn main() {
    testwright_runtime::worker::main()
}
