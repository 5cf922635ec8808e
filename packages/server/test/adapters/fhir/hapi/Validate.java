import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import ca.uhn.fhir.validation.SingleValidationMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;

/**
 * Validates each file against R4 with HAPI, offline. Prints every error, and every resource without a narrative that
 * should have one; exits with 1 when there is one.
 */
public class Validate {
  public static void main(String[] files) throws Exception {
    FhirContext context = FhirContext.forR4();
    ValidationSupportChain support =
        new ValidationSupportChain(
            new DefaultProfileValidationSupport(context),
            new InMemoryTerminologyServerValidationSupport(context),
            new CommonCodeSystemsTerminologyService(context));
    FhirValidator validator = context.newValidator();
    validator.registerValidatorModule(new FhirInstanceValidator(support));
    int errors = 0;
    for (String file : files) {
      String text = Files.readString(Path.of(file));
      for (SingleValidationMessage message : validator.validateWithResult(text).getMessages()) {
        boolean isWithoutText =
            message.getMessage().contains("dom-6")
                && !message.getLocationString().contains("OperationOutcome");
        if (!isWithoutText && message.getSeverity().ordinal() < ResultSeverityEnum.ERROR.ordinal())
          continue;
        errors++;
        System.out.println(file + " " + message.getLocationString() + ": " + message.getMessage());
      }
    }
    System.out.println(files.length + " files, " + errors + " errors");
    System.exit(errors == 0 ? 0 : 1);
  }
}
