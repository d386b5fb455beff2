module facteur.test/referee

go 1.23

require github.com/resend/resend-go/v3 v3.1.1
