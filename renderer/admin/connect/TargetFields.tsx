// The access of an agent, and the name of its entry.
import type { AgentChange } from '#contract'
import { t } from '../../language/language.ts'
import { Field } from '../../ui/Field.tsx'
import { Finder, type Matches } from '../../ui/Finder.tsx'
import { type Choice, SYSTEM } from './choices.ts'
import { findChoices } from './find-choices.ts'

export type AgentEndpoint = Extract<AgentChange, { readonly do: 'connect' }>['target']
export type Draft = { readonly choice: Choice | null; readonly name: string }
export const EMPTY: Draft = { choice: null, name: '' }

export const targetOf = ({ choice }: Draft): AgentEndpoint | null =>
  choice && choice.scope !== 'system' ? { scope: choice.scope, name: choice.name } : null

/** The control plane needs a key with a role, which is not created here. */
async function findTargets(q: string): Promise<Matches<Choice>> {
  const { items, more } = await findChoices(q)
  return { items: items.filter(({ value }) => value !== SYSTEM.value), more }
}

const suggested = (choice: Choice | null): string => (choice ? `gantry-${choice.name}`.slice(0, 63) : '')

export function TargetFields({
  draft,
  onChange,
}: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}) {
  const { choice, name } = draft
  return (
    <>
      <Finder
        label={t('Access')}
        value={choice}
        placeholder={t('Choose a bundle or a backend')}
        none={t('Nothing to connect to yet. Add a backend first.')}
        queryKey={['bundles', 'connect']}
        find={findTargets}
        onPick={(option) => {
          const picked = option as Choice // what `findTargets` found
          onChange({ choice: picked, name: name === suggested(choice) ? suggested(picked) : name })
        }}
      />
      {choice && (
        <Field
          label={t('Name in the agent')}
          value={name}
          onChange={(event) => onChange({ choice, name: event.target.value })}
          autoComplete="off"
          spellCheck={false}
          maxLength={63}
        />
      )}
    </>
  )
}
