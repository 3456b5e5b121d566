//! Compiles the memory of the parser.

fn main() {
    println!("cargo:rerun-if-changed=src/arena.c");
    let mut build = cc::Build::new();
    build.file("src/arena.c").std("c11").warnings(true);
    // Where tree-sitter's own build script says that its headers are.
    if let Ok(include) = std::env::var("DEP_TREE_SITTER_INCLUDE") {
        build.include(include);
    }
    build.compile("excerpt_arena");
}
