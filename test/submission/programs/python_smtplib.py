# Hands the mail of content.json in by Python's smtplib and email.
import base64, json, os, smtplib, ssl
from email.message import EmailMessage

content = json.load(open(os.environ["CONTENT"]))
where = (os.environ["HOST"], int(os.environ["PORT"]))
trusted = ssl.create_default_context()
server = smtplib.SMTP_SSL(*where, context=trusted) if os.environ["TLS"] == "TLS" else smtplib.SMTP(*where)
if os.environ["TLS"] == "STARTTLS":
    server.starttls(context=trusted)
server.login("facteur", os.environ["KEY"])
for mail in content["mails"]:
    message = EmailMessage()
    message["From"], message["To"] = mail["from"], ", ".join(mail["to"])
    if mail["bcc"]:
        message["Bcc"] = ", ".join(mail["bcc"])
    message["Subject"] = mail["subject"]
    message["Message-ID"] = "<%s@smtplib.test>" % mail["step"]
    message.set_content(content["text"], charset=mail["charset"])
    message.add_alternative(content["html"], subtype="html", charset=mail["charset"])
    message.get_payload()[1].add_related(
        base64.b64decode(content["logo"]), "image", "png", cid="<logo>", filename="logo.png"
    )
    message.add_alternative(content["calendar"], subtype="calendar", params={"method": "REQUEST"})
    message.add_attachment(
        base64.b64decode(content["file"]), maintype="application", subtype="octet-stream", filename=content["filename"]
    )
    try:
        server.send_message(message)
        reply = "250"
    except smtplib.SMTPResponseException as error:
        reply = "%d %s" % (error.smtp_code, error.smtp_error.decode())
    print(json.dumps({"step": mail["step"], "reply": reply}))
server.quit()
