package server

import (
	"errors"
	"net"
	"strconv"

	"agent-runtime/native/engine/internal/failure"
)

// Address joins the two parts, also for IPv6.
func Address(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// ChoosePort gives the wanted port when it is free, a free one when 0 is wanted, and the sentence for a taken one otherwise.
func ChoosePort(ip string, wanted int) (int, error) {
	listener, err := net.Listen("tcp", Address(ip, wanted))
	if err != nil {
		return 0, portTaken(Address(ip, wanted), err)
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("the listener has no TCP address")
	}
	return address.Port, nil
}

func portTaken(address string, err error) error {
	return failure.New(failure.PortTaken, err, "The address %s cannot be listened on, probably another process uses it: %v.", address, cause(err))
}

func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
