/** A planted defect: asked to stop, the service ends at once, whatever it was doing. */
process.prependListener('SIGTERM', () => process.exit(0))
