//! Calls Facteur with Resend's Rust SDK as it comes, and prints one line of JSON for each step (see sdks.test.ts).

use resend_rs::types::{CreateAttachment, CreateEmailBaseOptions, Tag};
use resend_rs::{Error, Resend, Result};
use serde_json::json;

fn step(name: &str, call: impl FnOnce() -> Result<Vec<String>>) {
    let line = match call() {
        Ok(answer) => json!({ "step": name, "answer": answer }),
        Err(Error::Resend(error)) => {
            json!({ "step": name, "status": error.status_code, "code": error.name, "message": error.message })
        }
        Err(error) => json!({ "step": name, "unexpected": error.to_string() }),
    };
    println!("{line}");
}

fn mail(from: &str, to: &str, subject: &str) -> CreateEmailBaseOptions {
    CreateEmailBaseOptions::new(from, [to], subject).with_html("<p>Bonjour</p>").with_text("Bonjour")
}

fn main() {
    let resend = Resend::default();
    let shop = "Boutique <hello@shop.test>";
    let subject = "Commande n° 1042 ✓";
    let to_camille = || mail(shop, "camille@example.com", subject);
    let send = |resend: &Resend, mail| Ok(vec![resend.emails.send(mail)?.id.to_string()]);
    let every: Vec<u8> = (0..=255).collect();

    step("send", || {
        let full = to_camille()
            .with_reply("answers@example.com")
            .with_header("X-Order", "1042")
            .with_tag(Tag::new("order", "1042"))
            .with_attachment(CreateAttachment::from_content(every).with_filename("reçu.bin"))
            .with_attachment(CreateAttachment::from_content(b"\x89PNG".to_vec()).with_filename("logo.png").with_content_id("logo"));
        send(&resend, full)
    });
    step("batch", || {
        let sent = resend.batch.send(vec![to_camille(), mail(shop, "camille@example.com", "Second")])?;
        Ok(sent.into_iter().map(|mail| mail.id.to_string()).collect())
    });
    step("get", || {
        let read = resend.emails.get(&resend.emails.send(to_camille())?.id)?;
        Ok(vec![read.id.to_string(), read.subject, read.html.unwrap_or_default(), read.text.unwrap_or_default()])
    });
    step("bad address", || send(&resend, mail(shop, "nobody", subject)));
    step("other domain", || send(&resend, mail("hello@elsewhere.test", "camille@example.com", subject)));
    step("suppressed", || send(&resend, mail(shop, "gone@example.com", subject)));
    step("bad batch", || {
        resend.batch.send(vec![to_camille(), mail(shop, "nobody", subject)]).map(|_| vec![])
    });
    step("wrong key", || send(&Resend::new(&std::env::var("OTHER_KEY").expect("OTHER_KEY")), to_camille()));
}
