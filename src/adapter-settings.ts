/** What the configuration file may say about FHIR and CDS Hooks. */
import Type from 'typebox'

/** An object without other properties than these. */
export function closedObject<P extends Type.TProperties>(properties: P): Type.TObject<P> {
  return Type.Object(properties, { additionalProperties: false })
}

const text = (description: string): Type.TString => Type.String({ minLength: 1, description })
const share = (description: string): Type.TOptional<Type.TNumber> =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

export const FhirSection = closedObject({
  enabled: Type.Optional(Type.Boolean({ description: 'Whether FHIR is served; true where absent.' })),
  mapping: Type.Optional(text('A mapping file of your own. Its entries replace those of the package.')),
})

const Issuer = closedObject({
  issuer: text('The claim iss of its tokens.'),
  key: Type.String({
    pattern: '^[0-9A-Za-z]+$',
    description: 'The id of the API key whose scopes and limits it gets.',
  }),
  jwks: Type.Optional(text('A file with its public keys (JWK Set).')),
  jwksUrl: Type.Optional(
    Type.String({ pattern: '^https://', description: 'Where its public keys are fetched.' }),
  ),
})

export const CdsHooksSection = closedObject({
  origins: Type.Optional(
    Type.Array(Type.String({ pattern: '^https?://[^/?#@\\s]+$' }), {
      description: 'Origins of web pages that may call the CDS services.',
    }),
  ),
  issuers: Type.Optional(
    Type.Array(Issuer, { description: 'Calling systems whose signed tokens are accepted.' }),
  ),
})

/** A deployment with this section is a CDS service. */
export const DeploymentCdsHooks = closedObject({
  hooks: Type.Array(Type.Enum(['patient-view', 'encounter-discharge']), { minItems: 1, uniqueItems: true }),
  showFrom: share('Lower risks give no card.'),
  warnFrom: share("Risks from which a card is a warning; the model's own threshold where absent."),
  criticalFrom: share('Risks from which a card is critical; never where absent.'),
})

export type TrustedIssuer = Type.Static<typeof Issuer>
export type DeploymentHooks = Type.Static<typeof DeploymentCdsHooks>
export type CdsHooksSettings = Type.Static<typeof CdsHooksSection>
