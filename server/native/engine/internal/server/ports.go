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
	ports, err := freePorts(ip, wanted)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

// freePorts finds a free port for every wanted one (0 for any). All listeners stay open until the last is found,
// so that no port is given twice.
func freePorts(ip string, wanted ...int) ([]int, error) {
	ports := make([]int, 0, len(wanted))
	for _, port := range wanted {
		listener, err := net.Listen("tcp", Address(ip, port))
		if err != nil {
			return nil, portTaken(Address(ip, port), err)
		}
		defer func() { _ = listener.Close() }()
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			return nil, errors.New("the listener has no TCP address")
		}
		ports = append(ports, address.Port)
	}
	return ports, nil
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
