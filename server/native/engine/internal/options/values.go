package options

import (
	"encoding/json"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
)

func keyValue(text string) (key, value string, err error) {
	key, value, found := strings.Cut(text, "=")
	if !found || key == "" {
		return "", "", fmt.Errorf("%q is not of the form key=value", text)
	}
	return key, value, nil
}

func (o *Options) addSearchAttribute(text string) error {
	name, typeName, err := keyValue(text)
	if err != nil {
		return err
	}
	for known, ordinal := range enumspb.IndexedValueType_shorthandValue {
		if ordinal != 0 && strings.EqualFold(known, typeName) {
			o.SearchAttributes[name] = enumspb.IndexedValueType(ordinal)
			return nil
		}
	}
	return fmt.Errorf("%q is not a type of search attribute", typeName)
}

func (o *Options) addDynamicConfig(text string) error {
	key, value, err := keyValue(text)
	if err != nil {
		return err
	}
	parsed, err := dynamicValue(value)
	if err != nil {
		return fmt.Errorf("the value of %s is not JSON", key)
	}
	o.DynamicConfig[key] = parsed
	return nil
}

// The server accepts whole numbers only as int, and Go's decoder would make floats of them.
func dynamicValue(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one value")
	}
	number, isNumber := value.(json.Number)
	if !isNumber {
		return value, nil
	}
	if whole, err := number.Int64(); err == nil {
		return int(whole), nil
	}
	return number.Float64()
}
