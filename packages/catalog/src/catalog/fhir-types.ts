/** The types of resources of FHIR: of R4, which is read, and those of other versions that senders still write, or write already. */

/** Without EncounterHistory of R5, which holds stays. */
const TYPES = new Set(
  [
    'Account ActivityDefinition ActorDefinition AdministrableProductDefinition AdverseEvent',
    'AllergyIntolerance Appointment AppointmentResponse ArtifactAssessment AuditEvent Basic Binary',
    'BiologicallyDerivedProduct BiologicallyDerivedProductDispense BodySite BodyStructure Bundle',
    'CapabilityStatement CarePlan CareTeam CatalogEntry ChargeItem ChargeItemDefinition Citation Claim',
    'ClaimResponse ClinicalImpression ClinicalUseDefinition CodeSystem Communication CommunicationRequest',
    'CompartmentDefinition Composition ConceptMap Condition ConditionDefinition Conformance Consent',
    'Contract Coverage CoverageEligibilityRequest CoverageEligibilityResponse DataElement DetectedIssue',
    'Device DeviceAssociation DeviceComponent DeviceDefinition DeviceDispense DeviceMetric DeviceRequest',
    'DeviceUsage DeviceUseRequest DeviceUseStatement DiagnosticOrder DiagnosticReport DocumentManifest',
    'DocumentReference EffectEvidenceSynthesis EligibilityRequest EligibilityResponse Encounter Endpoint',
    'EnrollmentRequest EnrollmentResponse EpisodeOfCare EventDefinition Evidence EvidenceReport',
    'EvidenceVariable ExampleScenario ExpansionProfile ExplanationOfBenefit FamilyMemberHistory Flag',
    'FormularyItem GenomicStudy Goal GraphDefinition Group GuidanceResponse HealthcareService',
    'ImagingManifest ImagingObjectSelection ImagingSelection ImagingStudy Immunization',
    'ImmunizationEvaluation ImmunizationRecommendation ImplementationGuide Ingredient InsurancePlan',
    'InventoryItem InventoryReport Invoice Library Linkage List Location ManufacturedItemDefinition',
    'Measure MeasureReport Media Medication MedicationAdministration MedicationDispense',
    'MedicationKnowledge MedicationOrder MedicationRequest MedicationStatement MedicinalProduct',
    'MedicinalProductAuthorization MedicinalProductContraindication MedicinalProductDefinition',
    'MedicinalProductIndication MedicinalProductIngredient MedicinalProductInteraction',
    'MedicinalProductManufactured MedicinalProductPackaged MedicinalProductPharmaceutical',
    'MedicinalProductUndesirableEffect MessageDefinition MessageHeader MolecularSequence NamingSystem',
    'NutritionIntake NutritionOrder NutritionProduct Observation ObservationDefinition',
    'OperationDefinition OperationOutcome Order OrderResponse Organization OrganizationAffiliation',
    'PackagedProductDefinition Parameters Patient PaymentNotice PaymentReconciliation Permission Person',
    'PlanDefinition Practitioner PractitionerRole Procedure ProcedureRequest ProcessRequest',
    'ProcessResponse Provenance Questionnaire QuestionnaireResponse ReferralRequest',
    'RegulatedAuthorization RelatedPerson RequestGroup RequestOrchestration Requirements',
    'ResearchDefinition ResearchElementDefinition ResearchStudy ResearchSubject RiskAssessment',
    'RiskEvidenceSynthesis Schedule SearchParameter Sequence ServiceDefinition ServiceRequest Slot',
    'Specimen SpecimenDefinition StructureDefinition StructureMap Subscription SubscriptionStatus',
    'SubscriptionTopic Substance SubstanceDefinition SubstanceNucleicAcid SubstancePolymer',
    'SubstanceProtein SubstanceReferenceInformation SubstanceSourceMaterial SubstanceSpecification',
    'SupplyDelivery SupplyRequest Task TerminologyCapabilities TestPlan TestReport TestScript Transport',
    'ValueSet VerificationResult VisionPrescription',
  ].flatMap((line) => line.split(' ')),
)

/** Whether a type is one of FHIR, as FHIR writes it. Another one may be a stay or a value under another name. */
export function isFhirType(type: string): boolean {
  return TYPES.has(type)
}
