module submits

go 1.21
