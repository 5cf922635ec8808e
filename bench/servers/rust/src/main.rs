//! The same scores without keys, audit, log and messages: axum, a typed record, sonic-rs, every given field checked.
mod domain;
mod record;

use std::{env, fs, sync::Arc};

use axum::{
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{header::CONTENT_TYPE, HeaderName, StatusCode},
    routing::post,
    Router,
};
use serde::Serialize;

use domain::{Domain, Field};
use record::{Domains, Record, Sex};

const LOCK: &str = include_str!("../Cargo.lock");
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// glibc gives memory of large bodies back to the system after each request.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Serialize)]
struct Answer {
    idx: i64,
    risk: Option<f64>,
    error_message: Option<()>,
}

/// The model readmission30. `None` where a field is not permitted or a required one is missing.
fn risk_of(domains: &Domains, record: &Record) -> Option<f64> {
    if !domains.permit(record) {
        return None;
    }
    let decades = record.age? / 10.0;
    let sex = match record.sex? {
        Sex::F => 0.0,
        Sex::M => 0.023605,
        Sex::X => 0.0118025,
    };
    let score = -0.104587 * decades
        + 0.011698 * (decades * decades)
        + sex
        + 0.741003 * (1.0 + record.inpatient_admissions?).ln()
        + 0.227101 * (1.0 + record.emergency_admissions?).ln()
        + 0.210156 * (1.0 + record.stay_days?).ln();
    let probability = 1.0 / (1.0 + (-(-2.567027 + score)).exp());
    Some((probability * 10_000.0).round().clamp(1.0, 9_999.0) / 10_000.0)
}

type Json = ([(HeaderName, &'static str); 1], Vec<u8>);

async fn score(State(domains): State<Arc<Domains>>, body: Bytes) -> Result<Json, StatusCode> {
    let records: Vec<Record> =
        sonic_rs::from_slice(&body).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
    let answers: Vec<Answer> = records
        .iter()
        .map(|record| Answer {
            idx: record.idx,
            risk: risk_of(&domains, record),
            error_message: None,
        })
        .collect();
    let text = sonic_rs::to_vec(&answers).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

/// The version that was built, from the lock file.
fn version_of(package: &str) -> String {
    let (_, rest) = LOCK
        .split_once(&format!("name = \"{package}\"\nversion = \""))
        .expect("a locked package");
    format!("{package} {}", rest.split('"').next().unwrap_or_default())
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = env::args().collect();
    let text = fs::read_to_string(&words[1]).expect("the file of fields");
    let fields: Vec<Field> = sonic_rs::from_str(&text).expect("fields as JSON");
    let domains = fields
        .into_iter()
        .filter_map(|field| Some((field.name, Domain::new(field.domain)?)))
        .collect();
    let app = Router::new()
        .route("/risk/api/do/v0", post(score))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .with_state(Arc::new(Domains::new(domains)));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", words[2]))
        .await
        .expect("a free port");
    println!(
        "versions {}",
        ["axum", "sonic-rs", "tokio", "mimalloc"]
            .map(version_of)
            .join(", ")
    );
    axum::serve(listener, app).await.expect("a server");
}
