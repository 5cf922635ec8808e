/** Decision trees in words: all of them where they are few, else one that the reader chooses by its number. */
import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { ask, callOf } from '../api.ts'
import { subjectOf } from '../i18n/field-names.ts'
import { useWords, type Words } from '../i18n/words.ts'
import { signed, valueText } from '../patient/result/as-text.ts'
import { type Loaded, session } from '../session.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Split, Tree, TreesTerm } from '../shapes/model.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loading } from '../ui/status.tsx'
import { ServiceText } from '../ui/service-text.tsx'
import { useAnswer } from '../use-answer.ts'

interface TreesProps extends Loaded {
  readonly term: TreesTerm
  /** How many trees the terms before this one have. */
  readonly before: number
}

export function TreesView({ term, before, ...loaded }: TreesProps): VNode {
  const { t, number, count, language } = useWords()
  return (
    <section class="effect trees">
      <h3>{term.label === undefined ? count('trees', term.count) : <ServiceText text={term.label} />}</h3>
      <p class="quiet">
        {t(term.combine === 'mean' ? 'trees.mean' : 'trees.sum')}{' '}
        {term.fields.map((name) => subjectOf(language, loaded.catalogue, name).text).join(' · ')}.{' '}
        {t('trees.curve', { name: t('curve.title') })}
      </p>
      {term.trees === undefined ? (
        <ChosenTree first={before + 1} last={before + term.count} {...loaded} />
      ) : (
        <div class="few-trees">
          {term.trees.map((nodes, at) => (
            <figure key={at}>
              <figcaption>{t('trees.one', { number: number(before + at + 1) })}</figcaption>
              <TreeWords nodes={nodes} catalogue={loaded.catalogue} />
            </figure>
          ))}
        </div>
      )}
    </section>
  )
}

function ChosenTree({ first, last, ...loaded }: Loaded & { first: number; last: number }): VNode {
  const { t, number } = useWords()
  const id = useId()
  const [chosen, setChosen] = useState(first)
  const choose = (wanted: number): void => {
    if (wanted >= first && wanted <= last) setChosen(Math.floor(wanted))
  }
  return (
    <>
      <div class="tree-choice">
        <label for={id}>{t('trees.choose', { first: number(first), last: number(last) })}</label>
        <input
          id={id}
          type="number"
          inputMode="numeric"
          min={first}
          max={last}
          value={chosen}
          onInput={(event) => choose(event.currentTarget.valueAsNumber)}
        />
        {([-1, 1] as const).map((step) => (
          <Button
            key={step}
            class="small"
            disabled={chosen === (step < 0 ? first : last)}
            onClick={() => choose(chosen + step)}
            text={t(step < 0 ? 'trees.previous' : 'trees.next')}
          />
        ))}
      </div>
      <LoadedTree key={chosen} number={chosen} {...loaded} />
    </>
  )
}

function LoadedTree({ number, model, catalogue }: Loaded & Pick<Tree, 'number'>): VNode {
  const { t } = useWords()
  const current = session.get()
  const path = callOf(current?.deployment?.basePath ?? '/', `/model/trees/${number}`)
  const { answer, failure, again } = useAnswer(() =>
    ask<Tree>(current?.key ?? '', path, { digest: model.deployment.digest }),
  )
  if (failure !== undefined) return <Failure failure={failure} onAgain={again} />
  if (answer === undefined) return <Loading text={t('app.loading')} />
  return <TreeWords nodes={answer.nodes} catalogue={catalogue} />
}

function TreeWords({ nodes, catalogue }: Pick<Loaded, 'catalogue'> & Pick<Tree, 'nodes'>): VNode {
  const words = useWords()
  const { t } = words
  const leaf = (points: number): VNode => (
    <strong class={points < 0 ? 'leaf lowers' : 'leaf raises'}>{signed(words, points, 4)}</strong>
  )
  /** The two branches of a split, each with the branches below it. */
  const branches = (split: Split): VNode => (
    <ul class="tree">
      {(['then', 'else'] as const).map((side) => {
        const node = nodes[split[side]]
        const question = side === 'then' ? questionOf(words, catalogue, split) : t('trees.else')
        return (
          <li key={side}>
            {question}
            {split.absent === side && <span class="quiet"> {t('trees.absent')}</span>}
            {typeof node === 'number' && leaf(node)}
            {typeof node === 'object' && branches(node)}
          </li>
        )
      })}
    </ul>
  )
  const [top] = nodes
  return typeof top === 'object' ? branches(top) : leaf(top ?? 0)
}

/** "Age below 80", "Sex is F (female) or X (other)". */
function questionOf(words: Words, catalogue: FieldCatalogue, split: Split): string {
  const { field: name, below, upTo, oneOf = [] } = split
  const { t, number, serviceText } = words
  const field = catalogue.fields.find((each) => each.name === name)
  const shown = { field: subjectOf(words.language, catalogue, name).text }
  const unit = field?.modelUnit ?? field?.unit
  const edge = `${number(below ?? upTo ?? 0)}${unit === undefined ? '' : ` ${serviceText(unit)}`}`
  if (below !== undefined) return t('trees.below', { ...shown, edge })
  if (upTo !== undefined) return t('trees.upTo', { ...shown, edge })
  const values = oneOf.map((value) => {
    const meaning = field?.valueMeanings?.[String(value)]
    return meaning === undefined ? valueText(words, value) : `${String(value)} (${serviceText(meaning)})`
  })
  return t('trees.oneOf', { ...shown, values: values.join(t('trees.or')) })
}
