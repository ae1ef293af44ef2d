//! The commands in README.md and the book are run as they stand there, and print what stands below them.

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn documents_tell_what_happens() {
    // The examples are named as seen from the root of the repository.
    std::env::set_current_dir(ROOT).expect("the root exists");
    trycmd::TestCases::new()
        .env("TESTWRIGHT_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        // How many lines of progress there are depends on the machine.
        .env("TESTWRIGHT_PROGRESS", "never")
        .case("README.md")
        .case("book/*.md")
        .run();
}
