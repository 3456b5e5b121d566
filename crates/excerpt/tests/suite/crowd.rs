//! Several processes on one index.

use std::process::Child;

use crate::fixture::Project;

const PROCESSES: usize = 8;

#[test]
fn eight_processes_that_find_no_index_all_answer_and_one_creates_it() {
    let project = Project::new();
    for file in 0..60 {
        let text = format!("# File {file}\n\nThe kettle sings in file {file}.\n");
        project.write(&format!("{file}.md"), text);
    }
    let started: Vec<Child> = (0..PROCESSES)
        .map(|_| project.command(&["search", "kettle"]).spawn().unwrap())
        .collect();
    for process in started {
        let output = process.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(!output.stdout.is_empty(), "{said}");
    }
    let report = &project.run(&["doctor", "--json"]).ok().json()[0];
    assert_eq!(report["index"]["check"]["documents"], 60);
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["sources"].as_array().unwrap().len(), 1);
}
