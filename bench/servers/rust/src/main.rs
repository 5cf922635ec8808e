//! The same job without keys, audit and messages: axum, serde_json, every given field checked, one risk for each record.
use std::{collections::HashMap, env, fs, sync::Arc};

use axum::{extract::DefaultBodyLimit, extract::State, http::StatusCode, routing::post, Json, Router};
use serde::Deserialize;
use serde_json::{json, Value};

#[derive(Deserialize)]
struct Field {
    name: String,
    domain: Domain,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Domain {
    Integer { from: f64, to: f64 },
    Decimal { from: f64, to: f64 },
    List { values: Vec<f64> },
    Code { codes: Vec<String> },
    YesNo,
    Date,
}

impl Domain {
    fn permits(&self, value: &Value) -> bool {
        match self {
            Domain::Integer { from, to } => {
                value.as_f64().is_some_and(|number| number.fract() == 0.0 && number >= *from && number <= *to)
            }
            Domain::Decimal { from, to } => value.as_f64().is_some_and(|number| number >= *from && number <= *to),
            Domain::List { values } => value.as_f64().is_some_and(|number| values.contains(&number)),
            Domain::Code { codes } => value.as_str().is_some_and(|code| codes.iter().any(|each| each == code)),
            Domain::YesNo => value.is_boolean(),
            Domain::Date => value.is_string(),
        }
    }
}

type Fields = Arc<HashMap<String, Domain>>;
type Record = HashMap<String, Value>;

/** The risk of a record, or nothing where a field is not permitted or a required one is missing. */
fn risk_of(fields: &HashMap<String, Domain>, record: &Record) -> Option<f64> {
    for (name, value) in record {
        if let Some(domain) = fields.get(name) {
            if !value.is_null() && !domain.permits(value) {
                return None;
            }
        }
    }
    let number = |name: &str| record.get(name).and_then(Value::as_f64);
    let age = number("age")? - 75.0;
    let is_male = if record.get("sex")?.as_str()? == "M" { 1.0 } else { 0.0 };
    let score = -2.5
        + 0.02 * age
        + 0.0001 * age * age
        + 0.1 * is_male
        + 0.4 * (1.0 + number("inpatientAdmissions")?).ln()
        + 0.3 * (1.0 + number("emergencyAdmissions")?).ln()
        + 0.2 * (1.0 + number("stayDays")?).ln();
    Some((10_000.0 / (1.0 + (-score).exp())).round() / 10_000.0)
}

async fn score(State(fields): State<Fields>, Json(records): Json<Vec<Record>>) -> Result<Json<Value>, StatusCode> {
    let results = records
        .iter()
        .map(|record| json!({ "idx": record.get("idx"), "risk": risk_of(&fields, record), "error_message": null }))
        .collect();
    Ok(Json(Value::Array(results)))
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = env::args().collect();
    let text = fs::read_to_string(&words[1]).expect("the file of fields");
    let list: Vec<Field> = serde_json::from_str(&text).expect("fields as JSON");
    let fields: Fields = Arc::new(list.into_iter().map(|field| (field.name, field.domain)).collect());
    let app = Router::new()
        .route("/risk/api/do/v0", post(score))
        .layer(DefaultBodyLimit::max(64 * 1024 * 1024))
        .with_state(fields);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", words[2])).await.expect("a free port");
    println!("versions axum 0.8.9, serde_json 1.0.154, tokio 1.54.1 (Cargo.lock)");
    axum::serve(listener, app).await.expect("a server");
}
