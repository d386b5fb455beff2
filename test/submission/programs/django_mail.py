# Hands the mail of content.json in by Django's own backend.
import base64, json, os, smtplib
from email.mime.image import MIMEImage
from django.conf import settings

settings.configure(
    EMAIL_HOST=os.environ["HOST"],
    EMAIL_PORT=int(os.environ["PORT"]),
    EMAIL_HOST_USER="facteur",
    EMAIL_HOST_PASSWORD=os.environ["KEY"],
    EMAIL_USE_TLS=os.environ["TLS"] == "STARTTLS",
    EMAIL_USE_SSL=os.environ["TLS"] == "TLS",
)
from django.core.mail import EmailMultiAlternatives

content = json.load(open(os.environ["CONTENT"]))
for mail in content["mails"]:
    message = EmailMultiAlternatives(
        mail["subject"],
        content["text"],
        mail["from"],
        mail["to"],
        bcc=mail["bcc"],
        headers={"Message-ID": "<%s@django.test>" % mail["step"]},
    )
    message.encoding = mail["charset"]
    message.attach_alternative(content["html"], "text/html")
    message.attach_alternative(content["calendar"], "text/calendar; method=REQUEST")
    logo = MIMEImage(base64.b64decode(content["logo"]), "png")
    logo.add_header("Content-ID", "<logo>")
    message.attach(logo)
    message.attach(content["filename"], base64.b64decode(content["file"]), "application/octet-stream")
    try:
        message.send()
        reply = "250"
    except smtplib.SMTPResponseException as error:
        reply = "%d %s" % (error.smtp_code, error.smtp_error.decode())
    print(json.dumps({"step": mail["step"], "reply": reply}))
