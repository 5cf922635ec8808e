/** What a death before the event counts as, by the card of the model. */
import type { DeathAs } from '@patient-risk/statistics'
import type { MonitoredDeployment } from '../deployment.ts'
import type { Competing } from 'patient-risk-engine/definition'

export function competingOf({ model }: Pick<MonitoredDeployment, 'model'>): Competing {
  return model.definition.card.competing ?? 'unstated'
}

/** In the alarm: where the card does not say, such a death speaks for nothing. */
export function deathInAlarm(competing: Competing): DeathAs {
  return competing === 'none' || competing === 'event' ? competing : 'unknown'
}

/** In the figures: where the card does not say, they are given both ways, first as no event. */
export function deathInFigures(competing: Competing): DeathAs {
  return competing === 'unstated' ? 'none' : deathInAlarm(competing)
}
