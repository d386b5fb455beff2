// Hands mails in by Go's net/smtp: STEP FROM FILE RECIPIENT... for each, from the arguments.
package main

import (
	"encoding/json"
	"net/smtp"
	"os"
)

func main() {
	step, from, file, to := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	bytes, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	host := os.Getenv("HOST")
	auth := smtp.PlainAuth("", "facteur", os.Getenv("KEY"), host)
	reply := "250"
	if err := smtp.SendMail(host+":"+os.Getenv("PORT"), auth, from, to, bytes); err != nil {
		reply = err.Error()
	}
	json.NewEncoder(os.Stdout).Encode(map[string]string{"step": step, "reply": reply})
}
