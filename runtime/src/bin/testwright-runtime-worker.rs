//! The worker as the tests of this crate start it; the installed one is `testwright-worker` of the command line.

fn main() {
    testwright_runtime::worker::main()
}
