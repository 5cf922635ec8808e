/** How a model did on labelled data, as the service answers it. A figure that cannot be computed is null. */
import type { Components } from '../../generated/schema.ts'

type Schemas = Components['schemas']

export type Report = Schemas['Report']
export type Figures = Schemas['ReportFigures']
export type ThresholdFigures = Schemas['ThresholdFigures']
export type Subgroup = Schemas['ReportPart']
export type Difference = Schemas['PartDifference']
export type Recalibration = Schemas['RecalibrationReport']
export type Moves = Schemas['Moves']
export type Optimism = Schemas['Optimism']
export type Intervals = Schemas['BootstrapIntervals']
export type Estimate = Schemas['Estimate']
export type Span = Schemas['Interval']
export type Figure = Estimate['value']
export type Range = Pick<Estimate, 'from' | 'to'>
