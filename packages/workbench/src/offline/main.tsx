/** The page that holds a deployment and asks nobody. */
import { render } from 'preact'
import { translate } from '../i18n/translate.ts'
import { start } from '../start.tsx'
import { engineService } from './engine-service.ts'
import { readOfflineData } from './offline-data.ts'

// The script runs, so this text is not true.
document.querySelector('.not-started')?.remove()
try {
  const data = readOfflineData()
  if (data === undefined) refuse(translate('en', 'offline.empty'))
  else await start(engineService(data))
} catch (error) {
  // A file that was edited or cut off must not answer under the digest of what it was made from.
  refuse(translate('en', 'offline.damaged'), error)
}

function refuse(reason: string, error?: unknown): void {
  const place = document.getElementById('page')
  if (place === null) return
  render(
    <main>
      <div class="notice bad" role="alert">
        <h1>{translate('en', 'offline.broken')}</h1>
        <p>{reason}</p>
        {error instanceof Error && <p class="original">{error.message}</p>}
      </div>
    </main>,
    place,
  )
}
