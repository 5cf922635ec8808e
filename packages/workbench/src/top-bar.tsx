/** The bar at the top: name, views, deployment, language, colours, and the way out. */
import type { VNode } from 'preact'
import { hasUnsaved } from './guard-leaving.ts'
import { keptLanguage } from './i18n/kept-language.ts'
import { changeLanguage } from './i18n/change-language.ts'
import { offered } from './i18n/translate.ts'
import { type Words, useWords } from './i18n/words.ts'
import type { DeploymentSummary } from './shapes/answers.ts'
import type { ViewName } from './view-name.ts'
import { viewsOf } from './views-of-key.ts'
import { preferences } from './preferences.ts'
import { offlineFacts } from './service.ts'
import { chooseDeployment, lockSession, session, signOut } from './session.ts'
import { useShared } from './state.ts'
import { Button } from './ui/button.tsx'
import { confirmFirst } from './ui/confirm.tsx'
import { Select } from './ui/select.tsx'
import { Icon } from './ui/icon.tsx'

export function TopBar({ view }: { readonly view: ViewName }): VNode {
  const words = useWords()
  const { t } = words
  const current = useShared(session)
  const isOffline = offlineFacts() !== undefined
  const views = current === undefined ? [] : viewsOf(current)
  return (
    <header class="top">
      <div class="brand">
        <Icon name="pulse" />
        <span>{t('app.name')}</span>
      </div>
      {current !== undefined && (
        <nav aria-label={t('nav.label')}>
          {views.map((each) => (
            <a key={each} href={`#/${each}`} aria-current={each === view ? 'page' : undefined}>
              {t(`nav.${each}`)}
            </a>
          ))}
        </nav>
      )}
      <div class="tools">
        {current?.deployment !== undefined && !isOffline && (
          <label class="deployment">
            <span class="visually-hidden">{t('app.deployment')}</span>
            <Select
              value={current.deployment.name}
              onChange={(name) => void chooseDeployment(name)}
              options={current.summary.deployments.map((each) => [
                each.name,
                nameOf(words, each, current.summary.deployments),
              ])}
            />
          </label>
        )}
        <Choices />
        {current !== undefined && !isOffline && (
          <button type="button" class="plain" onClick={() => lockSession('asked')}>
            <Icon name="lock" />
            <span class="visually-hidden">{t('lock.now')}</span>
          </button>
        )}
        {current !== undefined && !isOffline && (
          <button type="button" class="plain" onClick={leave} title={current.summary.key.name}>
            <Icon name="out" />
            <span class="wide-only">{t('app.signOut')}</span>
            <span class="visually-hidden narrow-only">{t('app.signOut')}</span>
          </button>
        )}
      </div>
    </header>
  )
}

/** The title. Where deployments share it, also whether one answers a number or Yes and No; where they share that too, its name. */
function nameOf(
  { t, serviceText }: Words,
  { name, title, output, ready }: DeploymentSummary,
  all: readonly DeploymentSummary[],
): string {
  const alike = all.filter((each) => each.title === title)
  const kind = t(output === 'number' ? 'app.number' : 'app.yesNo')
  const isOnlyKind = alike.filter((each) => each.output === output).length === 1
  // The end of a long one may be cut off, so a name comes first.
  const several = isOnlyKind ? `${serviceText(title)} (${kind})` : `${name}: ${serviceText(title)}`
  const text = alike.length === 1 ? serviceText(title) : several
  return ready ? text : `${text} — ${t('app.notReady')}`
}

/** Signs out, after a question where something would be lost. */
function leave(): void {
  if (!hasUnsaved()) signOut()
  else confirmFirst({ title: 'leave.title', text: 'leave.signOut', go: 'app.signOut', onGo: signOut })
}

function Choices(): VNode {
  const { t } = useWords()
  const { theme } = useShared(preferences)
  const isDark =
    theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  return (
    <>
      <Languages />
      <button
        type="button"
        class="plain"
        aria-pressed={isDark}
        onClick={() => preferences.patch({ theme: isDark ? 'light' : 'dark' })}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
        <span class="visually-hidden">{t('app.dark')}</span>
      </button>
    </>
  )
}

/** A button where there is one other language, else a choice. Each language has its own name. */
function Languages(): VNode | undefined {
  const { t, language } = useWords()
  const all = useShared(offered)
  const [other, ...more] = all.filter((each) => each.language !== language)
  if (other === undefined) return undefined
  const choose = (next: string): void => {
    keptLanguage.write(next)
    void changeLanguage(next).catch(() => undefined)
  }
  if (more.length === 0)
    return (
      <Button class="plain" lang={other.language} onClick={() => choose(other.language)} text={other.name} />
    )
  return (
    <label class="languages">
      <span class="visually-hidden">{t('app.language')}</span>
      <Select value={language} onChange={choose} options={all.map((each) => [each.language, each.name])} />
    </label>
  )
}
