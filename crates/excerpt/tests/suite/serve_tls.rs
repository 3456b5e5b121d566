//! Encrypted connections.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::fixture::Project;
use crate::serve_client::{Server, parsed};

/// A certificate for this machine, as files and as a client trusts it.
fn certificate(project: &Project) -> CertificateDer<'static> {
    let names = ["localhost".to_string(), "127.0.0.1".to_string()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    project.write("../cert.pem", made.cert.pem());
    project.write("../key.pem", made.signing_key.serialize_pem());
    made.cert.der().clone()
}

fn connected(
    server: &Server,
    trusted: Option<&CertificateDer<'static>>,
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    if let Some(trusted) = trusted {
        roots.add(trusted.clone()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(client, server.connected())
}

#[test]
fn an_encrypted_connection_answers_and_a_plain_one_does_not() {
    let project = Project::new().file("a.md", "# Tea\n\nTea wants water.\n");
    let trusted = certificate(&project);
    let file = |name: &str| project.path(name).display().to_string();
    let (cert, key) = (file("../cert.pem"), file("../key.pem"));
    let server = Server::start(&project, &["--tls-cert", &cert, "--tls-key", &key]);

    let request = format!(
        "GET /v1/status HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        server.address, server.token
    );
    let mut stream = connected(&server, Some(&trusted));
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(parsed(&answer).ok()["write"], true);

    // The cookie of the page is for encrypted connections alone.
    let mut stream = connected(&server, Some(&trusted));
    let page = format!(
        "GET /?token={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.token, server.address
    );
    stream.write_all(page.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let answer = parsed(&answer);
    assert_eq!(answer.status, 303);
    assert!(answer.header("set-cookie").unwrap().contains("Secure"));

    // A client that does not trust the certificate sends nothing.
    let refused = connected(&server, None).write_all(request.as_bytes());
    assert!(refused.is_err());
    let answer = server.raw(request.as_bytes());
    assert!(!answer.contains("HTTP"), "{answer:?}");
}

#[test]
fn a_certificate_and_a_key_that_do_not_fit_are_refused() {
    let project = Project::new().file("a.md", "# Tea\n");
    certificate(&project);
    let other = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    project.write("../other.pem", other.signing_key.serialize_pem());
    project.write("../none.pem", "no certificate");
    let file = |name: &str| project.path(name).display().to_string();
    for (cert, key) in [
        ("../cert.pem", "../other.pem"),
        ("../none.pem", "../key.pem"),
        ("../cert.pem", "../none.pem"),
        ("../missing.pem", "../key.pem"),
    ] {
        let (cert, key) = (file(cert), file(key));
        let run = project.run(&["serve", "--tls-cert", &cert, "--tls-key", &key]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.starts_with("excerpt: "), "{}", run.stderr);
    }
}
