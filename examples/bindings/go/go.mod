module fasp-app

go 1.23.1

require github.com/go-gst/go-gst v1.4.0

require (
	github.com/go-gst/go-glib v1.4.0
	github.com/mattn/go-pointer v0.0.1 // indirect
	golang.org/x/exp v0.0.0-20240909161429-701f63a606c0 // indirect
)
