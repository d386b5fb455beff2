// Calls Facteur with Resend's Go SDK as it comes, and prints one line of JSON for each step (see sdks.test.ts).
package main

import (
	"encoding/json"
	"os"

	"github.com/resend/resend-go/v3"
)

func step(name string, call func() ([]string, error)) {
	line := map[string]any{"step": name}
	if answer, err := call(); err != nil {
		line["message"] = err.Error()
	} else {
		line["answer"] = answer
	}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}

func mailTo(address string) *resend.SendEmailRequest {
	return &resend.SendEmailRequest{
		From:    "Boutique <hello@shop.test>",
		To:      []string{address},
		Subject: "Commande n° 1042 ✓",
		Html:    "<p>Bonjour</p>",
		Text:    "Bonjour",
	}
}

func main() {
	client := resend.NewClient(os.Getenv("RESEND_API_KEY"))
	send := func(client *resend.Client, mail *resend.SendEmailRequest) func() ([]string, error) {
		return func() ([]string, error) {
			sent, err := client.Emails.Send(mail)
			if err != nil {
				return nil, err
			}
			return []string{sent.Id}, nil
		}
	}
	sendBatch := func(mails ...*resend.SendEmailRequest) func() ([]string, error) {
		return func() ([]string, error) {
			sent, err := client.Batch.Send(mails)
			if err != nil {
				return nil, err
			}
			ids := []string{}
			for _, mail := range sent.Data {
				ids = append(ids, mail.Id)
			}
			return ids, nil
		}
	}

	full := mailTo("camille@example.com")
	full.ReplyTo = "answers@example.com"
	full.Headers = map[string]string{"X-Order": "1042"}
	full.Tags = []resend.Tag{{Name: "order", Value: "1042"}}
	every := make([]byte, 256)
	for n := range every {
		every[n] = byte(n)
	}
	full.Attachments = []*resend.Attachment{
		{Filename: "reçu.bin", Content: every},
		{Filename: "logo.png", Content: []byte("\x89PNG"), ContentId: "logo"},
	}
	step("send", send(client, full))

	second := mailTo("camille@example.com")
	second.Subject = "Second"
	step("batch", sendBatch(mailTo("camille@example.com"), second))
	step("get", func() ([]string, error) {
		sent, err := client.Emails.Send(mailTo("camille@example.com"))
		if err != nil {
			return nil, err
		}
		read, err := client.Emails.Get(sent.Id)
		if err != nil {
			return nil, err
		}
		return []string{read.Id, read.Subject, read.Html, read.Text}, nil
	})
	step("bad address", send(client, mailTo("nobody")))
	elsewhere := mailTo("camille@example.com")
	elsewhere.From = "hello@elsewhere.test"
	step("other domain", send(client, elsewhere))
	step("suppressed", send(client, mailTo("gone@example.com")))
	step("bad batch", sendBatch(mailTo("camille@example.com"), mailTo("nobody")))
	step("wrong key", send(resend.NewClient(os.Getenv("OTHER_KEY")), mailTo("camille@example.com")))
}
