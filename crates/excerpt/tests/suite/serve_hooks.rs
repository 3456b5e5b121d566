//! A push to a repository reaches a server within seconds, if it is signed.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::fixture::Project;
use crate::serve_client::{Answer, Server};

/// The signature of a body, in hexadecimal digits.
fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    let bytes = mac.finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn git(project: &Project, folder: &str, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@host"]);
    command.args(["-c", "init.defaultBranch=main"]);
    let output = command
        .args(args)
        .current_dir(project.path(folder))
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// A bare repository with a clone of it, added as the collection `brain`.
fn brain() -> Project {
    let project = Project::new();
    git(&project, "", &["init", "--quiet", "--bare", "brain.git"]);
    git(&project, "", &["clone", "--quiet", "brain.git", "work"]);
    project.write(
        "work/domains/family/tea.md",
        "# Tea\n\nAnna likes green tea.\n",
    );
    project.write(
        "work/domains/work/pay.md",
        "# Pay\n\nThe salary is paid monthly.\n",
    );
    push(&project, "first");
    let url = daemon(&project.path(""));
    project
        .run(&["add", &format!("{url}/brain.git"), "--name", "brain"])
        .ok();
    project
}

/// The address of a git daemon for the repositories in a folder. It runs as long as the test.
fn daemon(folder: &std::path::Path) -> String {
    use std::os::fd::OwnedFd;
    use std::process::{Command, Stdio};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut command = Command::new("git");
    command.args(["daemon", "--inetd", "--export-all"]);
    command.arg(format!("--base-path={}", folder.display()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let output = OwnedFd::from(stream.try_clone().unwrap());
            command.stdin(OwnedFd::from(stream)).stdout(output);
            let mut served = command.stderr(Stdio::null()).spawn().unwrap();
            // The command holds copies of the connection until the next one.
            command.stdin(Stdio::null()).stdout(Stdio::null());
            std::thread::spawn(move || served.wait());
        }
    });
    format!("git://{address}")
}

fn push(project: &Project, message: &str) {
    git(project, "work", &["add", "."]);
    git(project, "work", &["commit", "--quiet", "-m", message]);
    git(project, "work", &["push", "--quiet", "origin", "HEAD:main"]);
}

fn call(server: &Server, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut all = vec![("Content-Type", "application/json")];
    all.extend(headers);
    server.ask(("POST", "/hooks/brain"), "", &all, body)
}

fn finds(server: &Server, token: &str, word: &str) -> bool {
    let found = server
        .get_as(token, &format!("/v1/search?query={word}&channels=keywords"))
        .ok();
    !found["hits"].as_array().unwrap().is_empty()
}

#[test]
fn a_signed_push_is_found_and_an_unsigned_one_costs_nothing() {
    let project = brain();
    let secret = project.run(&["hook", "add", "brain"]).ok().stdout;
    let secret = secret.trim();
    let family = project
        .run(&[
            "token",
            "add",
            "phone",
            "-c",
            "brain",
            "--under",
            "domains/family",
        ])
        .ok()
        .stdout;
    let family = family.trim();
    let server = Server::ready(&project, &["--library"]);
    assert!(finds(&server, family, "green"));
    assert!(!finds(&server, family, "salary"));

    project.write(
        "work/domains/family/oolong.md",
        "# Oolong\n\nOolong is half of each.\n",
    );
    project.write(
        "work/domains/work/oolong.md",
        "# Oolong at work\n\nThe office has oolong and a salary.\n",
    );
    push(&project, "second");
    let body =
        json!({"ref": "refs/heads/main", "repository": {"full_name": "me/brain"}}).to_string();
    let body = body.as_bytes();
    let right = format!("sha256={}", signature(secret, body));
    let wrong = format!("sha256={}", signature("wrong", body));
    for headers in [
        &[][..],
        &[("X-Hub-Signature-256", "")],
        &[("X-Hub-Signature-256", "sha256=")],
        &[("X-Hub-Signature-256", &*wrong)],
        &[("X-Hub-Signature-256", &right[..right.len() - 1])],
        &[("X-Gitlab-Token", "wrong")],
        &[("X-Gitlab-Token", "")],
        &[("X-Gitea-Signature", &wrong[7..])],
    ] {
        call(&server, headers, body).problem(401);
    }
    call(
        &server,
        &[("X-Hub-Signature-256", &right)],
        &[body, b" "].concat(),
    )
    .problem(401);
    let other = server.ask(
        ("POST", "/hooks/other"),
        "",
        &[("X-Hub-Signature-256", &right)],
        body,
    );
    other.problem(401);
    assert!(!finds(&server, &server.token, "oolong"));

    let headers = [
        ("X-Hub-Signature-256", &*right),
        ("X-GitHub-Delivery", "1"),
        ("X-GitHub-Event", "push"),
    ];
    assert_eq!(call(&server, &headers, body).status, 202);
    server.wait_until("the push is found", |server| {
        finds(server, family, "oolong")
    });
    let found = server
        .get_as(family, "/v1/search?query=oolong&limit=20")
        .ok();
    let paths: Vec<&Value> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["path"])
        .collect();
    assert!(
        paths
            .iter()
            .all(|path| path.as_str().unwrap().starts_with("domains/family/")),
        "{paths:?}"
    );
    // A call that is repeated does nothing.
    assert_eq!(call(&server, &headers, body).status, 202);
    assert!(
        server
            .get("/metrics")
            .body
            .contains("excerpt_hook_calls_total 1\n")
    );
    project.run(&["hook", "remove", "brain"]).ok();
    let again = [("X-Hub-Signature-256", &*right), ("X-GitHub-Delivery", "2")];
    call(&server, &again, body).problem(401);
}

#[test]
fn the_hosts_sign_in_their_own_ways() {
    let project = brain();
    let secret = project.run(&["hook", "add", "brain"]).ok().stdout;
    let secret = secret.trim();
    let server = Server::ready(&project, &["--library"]);
    let body = json!({"ref": "refs/heads/main"}).to_string();
    let bitbucket =
        json!({"push": {"changes": [{"old": null, "new": {"type": "branch", "name": "main"}}]}})
            .to_string();
    let signed = |body: &str| signature(secret, body.as_bytes());
    let prefixed = |body: &str| format!("sha256={}", signed(body));
    for (name, value, body) in [
        ("X-Hub-Signature-256", prefixed(&body), &body),
        ("X-Gitlab-Token", secret.to_string(), &body),
        ("X-Gitea-Signature", signed(&body), &body),
        ("X-Forgejo-Signature", signed(&body), &body),
        ("X-Hub-Signature", prefixed(&bitbucket), &bitbucket),
    ] {
        let word = name.to_lowercase().replace('-', "");
        project.write(
            &format!("work/{word}.md"),
            format!("# {word}\n\nThe word is {word}.\n"),
        );
        push(&project, name);
        let answer = call(
            &server,
            &[(name, &value), ("X-Request-UUID", name)],
            body.as_bytes(),
        );
        assert_eq!(answer.status, 202, "{name}: {answer:?}");
        server.wait_until(name, |server| finds(server, &server.token, &word));
    }
    let listed = project.run(&["hook", "list", "--json"]).ok();
    assert_eq!(listed.json()[0]["collections"], json!(["brain"]));
    assert!(!listed.stdout.contains(secret));
    project.run(&["hook", "add", "a/b"]).fails(
        "excerpt: `a/b` cannot be a hook's name: expected letters, digits, `-`, `_` and `.`",
    );
    project
        .run(&["hook", "add", "brain"])
        .fails("excerpt: there is a hook `brain` already");
    let folder = project.path("work");
    project
        .run(&["add", folder.to_str().unwrap(), "--name", "notes"])
        .ok();
    project
        .run(&["hook", "add", "push", "-c", "brain", "-c", "notes"])
        .fails("excerpt: the collection `notes` is not a git repository: only those have hooks");
}

#[test]
fn the_hook_of_a_collection_that_is_not_served_is_not_found() {
    let project = brain();
    let secret = project.run(&["hook", "add", "brain"]).ok().stdout;
    let server = Server::ready(&project, &["--library"]);
    let deliver = |secret: &str| {
        let headers = [("X-Gitlab-Token", secret)];
        call(&server, &headers, br#"{"ref": "refs/heads/main"}"#)
    };
    assert_eq!(deliver(secret.trim()).status, 202);
    let removed = server.send("DELETE", "/v1/collections/brain", &json!({}));
    assert_eq!(removed.status, 204);
    let (detail, _) = deliver(secret.trim()).problem(404);
    assert_eq!(detail, "the collection `brain` of this hook is not served");
    deliver("wrong").problem(401);
}

#[test]
fn a_push_that_was_accepted_before_a_restart_is_found_after_it() {
    let project = brain();
    // The repository was fetched a moment ago, and its turn comes in five minutes.
    project.write("work/oolong.md", "# Oolong\n\nHalf of each.\n");
    push(&project, "second");
    let server = Server::start(&project, &["--library"]);
    server.wait_until("the push is found", |server| {
        finds(server, &server.token, "oolong")
    });
}

#[test]
fn a_delivery_that_failed_or_concerned_nothing_is_done_when_it_is_sent_again() {
    let project = brain();
    let secret = project.run(&["hook", "add", "brain"]).ok().stdout;
    let secret = secret.trim();
    let server = Server::ready(&project, &["--library"]);
    let deliver = |id: &str, body: &Value| {
        let headers = [("X-Gitlab-Token", secret), ("X-Gitlab-Event-UUID", id)];
        let answer = call(&server, &headers, body.to_string().as_bytes());
        assert_eq!(answer.status, 202);
    };
    let calls = |count: usize| {
        let metrics = server.get("/metrics").body;
        let line = format!("excerpt_hook_calls_total {count}\n");
        assert!(metrics.contains(&line), "{metrics}");
    };
    // The branch that is read does not change with a tag.
    let other = json!({"ref": "refs/tags/v1"});
    deliver("1", &other);
    deliver("1", &other);
    calls(2);

    project.write("work/oolong.md", "# Oolong\n\nHalf of each.\n");
    push(&project, "second");
    let moved = project.path("elsewhere.git");
    std::fs::rename(project.path("brain.git"), &moved).unwrap();
    let body = json!({"ref": "refs/heads/main"});
    deliver("2", &body);
    server.wait_until("the sync has failed", |server| {
        server.get("/v1/status").ok()["sources"][0]["state"] == "failed"
    });
    std::fs::rename(&moved, project.path("brain.git")).unwrap();
    deliver("2", &body);
    calls(4);
    server.wait_until("the push is found", |server| {
        finds(server, &server.token, "oolong")
    });
    deliver("2", &body);
    calls(4);
}
