import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ReadmissionApi;
import org.openapitools.client.model.PatientRecordReadmission;
import org.openapitools.client.model.ResultNumber;

/** Calls the service with a generated client: Program URL KEY BUNDLE. Prints a risk, a risk of FHIR, and an error. */
public class Program {
  private static ReadmissionApi api(String url, String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return new ReadmissionApi(client);
  }

  public static void main(String[] words) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    ReadmissionApi api = api(words[0], words[1]);
    PatientRecordReadmission record =
        new PatientRecordReadmission()
            .idx(9007199254740991L)
            .age(84)
            .sex(PatientRecordReadmission.SexEnum.F)
            .inpatientAdmissions(2)
            .emergencyAdmissions(1)
            .stayDays(7)
            .cdrMemory(new BigDecimal("0.5"));
    ResultNumber result = api.readmissionScore(List.of(record), null).get(0);
    System.out.println("score " + result.getIdx() + " " + result.getRisk() + " " + result.getErrorMessage());

    @SuppressWarnings("unchecked")
    Map<String, Object> bundle = mapper.readValue(new File(words[2]), Map.class);
    JsonNode answer = mapper.valueToTree(api.readmissionFhirScore(bundle, "complete", null, null, null, null));
    JsonNode prediction = answer.at("/entry/0/resource/prediction/0");
    System.out.println("fhir " + prediction.get("probabilityDecimal"));
    try {
      api(words[0], "prk_wrong").readmissionScore(List.of(record), null);
    } catch (ApiException error) {
      String code = mapper.readTree(error.getResponseBody()).get("code").asText();
      System.out.println("error " + error.getCode() + " " + code);
    }
  }
}
