// A text with a list to pick from: known values that fit here. Other texts stay possible.
import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronsUpDown } from 'lucide-react'
import { t } from '../../../language/language.ts'
import { cx } from '../../../ui/cx.ts'
import { inputClass } from '../../../ui/Field.tsx'
import type { Suggestion } from './suggestions.ts'
import { type Commit, useTyped } from './use-held.ts'

/** A longer list is narrowed by typing. */
const MOST_SHOWN = 200

export type PickInputProps = {
  readonly label: string
  readonly value: string
  readonly mixed?: boolean
  readonly suggestions: readonly Suggestion[]
  readonly placeholder?: string | undefined
  /** Returns why a text is invalid; an invalid text is not applied. */
  readonly wrong?: ((text: string) => string | undefined) | undefined
  readonly onCommit: Commit<string>
  readonly className?: string | undefined
}

export function PickInput(props: PickInputProps) {
  const { label, value, mixed = false, suggestions, placeholder, wrong, onCommit, className } = props
  const { text, setText, problem, still, shown, commit, done } = useTyped({ value, mixed, wrong, onCommit })
  // What is there already narrows nothing.
  const word = (text ?? '').trim().toLowerCase()
  const items = suggestions
    .filter((each) => `${each.value} ${each.about ?? ''}`.toLowerCase().includes(word))
    .slice(0, MOST_SHOWN)
  return (
    <>
      <Autocomplete.Root
        items={items}
        mode="none"
        value={text ?? (still ? '' : shown)}
        itemToStringValue={(each: Suggestion) => each.value}
        onValueChange={(next, { reason }) => {
          if (reason !== 'item-press') return setText(next)
          setText(null)
          if (mixed || next !== shown) void commit(next)
        }}
      >
        <Autocomplete.InputGroup className="relative min-w-0 grow">
          <Autocomplete.Input
            aria-label={label}
            aria-invalid={problem !== undefined || undefined}
            title={problem}
            spellCheck={false}
            placeholder={still ? t('differ') : placeholder}
            onBlur={done}
            onKeyDown={(event) => {
              // Enter on an entry of the list picks it.
              if (event.key === 'Enter' && !event.currentTarget.getAttribute('aria-activedescendant')) {
                event.preventDefault()
                if (problem === undefined) done()
              }
              if (event.key === 'Escape') setText(null)
            }}
            className={cx(inputClass, 'h-7! w-full pr-6! pl-2! text-xs!', className)}
          />
          <Autocomplete.Trigger
            aria-label={t('Choices for {label}', { label })}
            className="absolute inset-y-0 right-0 grid w-6 place-items-center text-ink-3 hover:text-ink"
          >
            <ChevronsUpDown aria-hidden className="size-3" />
          </Autocomplete.Trigger>
        </Autocomplete.InputGroup>
        <Choices label={label} />
      </Autocomplete.Root>
      {problem !== undefined && <span className="text-2xs text-bad">{problem}</span>}
    </>
  )
}

function Choices({ label }: { readonly label: string }) {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} align="end" className="z-60">
        <Autocomplete.Popup
          aria-label={t('Choices for {label}', { label })}
          className="pop float max-w-96 min-w-(--anchor-width) overflow-hidden"
        >
          <Autocomplete.List className="max-h-64 overflow-y-auto p-1 empty:p-0">
            {({ value, about }: Suggestion) => (
              <Autocomplete.Item
                key={value}
                value={{ value, about }}
                className="rounded-md px-2 py-1 text-xs outline-none data-highlighted:bg-hover"
              >
                <span className="block truncate">{value}</span>
                {about !== undefined && <span className="block truncate text-2xs text-ink-3">{about}</span>}
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
          <Autocomplete.Empty className="px-3 py-2 text-xs text-ink-3 empty:hidden">
            {t('Nothing known matches. Enter applies the text.')}
          </Autocomplete.Empty>
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  )
}
