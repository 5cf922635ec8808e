// Calls the service with a generated client: program URL KEY BUNDLE. Prints a risk, a risk of FHIR, and an error.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	risk "github.com/example/risk"
)

func main() {
	url, key, bundle := os.Args[1], os.Args[2], os.Args[3]
	settings := risk.NewConfiguration()
	settings.Servers = risk.ServerConfigurations{{URL: url}}
	api := risk.NewAPIClient(settings).ReadmissionAPI
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), risk.ContextAccessToken, key)
	}
	number := func(value int32) risk.NullableInt32 { return *risk.NewNullableInt32(&value) }
	sex := "F"
	record := risk.NewPatientRecordReadmission(
		9007199254740991, number(84), *risk.NewNullableString(&sex), number(2), number(1), number(7))
	record.SetCdrMemory(0.5)
	records := []risk.PatientRecordReadmission{*record}

	results, _, err := api.ReadmissionScore(as(key)).PatientRecordReadmission(records).Execute()
	must(err)
	fmt.Println("score", results[0].GetIdx(), results[0].GetRisk(), results[0].ErrorMessage)

	text, err := os.ReadFile(bundle)
	must(err)
	var body map[string]interface{}
	must(json.Unmarshal(text, &body))
	answer, _, err := api.ReadmissionFhirScore(as(key)).RequestBody(body).History("complete").Execute()
	must(err)
	entry := answer["entry"].([]interface{})[0].(map[string]interface{})
	prediction := entry["resource"].(map[string]interface{})["prediction"].([]interface{})[0]
	fmt.Println("fhir", prediction.(map[string]interface{})["probabilityDecimal"])

	_, response, err := api.ReadmissionScore(as("prk_wrong")).PatientRecordReadmission(records).Execute()
	var refused *risk.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	problem := refused.Model().(risk.Problem)
	fmt.Println("error", response.StatusCode, problem.GetCode())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
