// How a bundle lists its tools to clients, with what each form costs a model.
import { type BundleDetail, type BundlePreview, LIST_MODES, type ListMode } from '#contract'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { formatCount } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { FORMS } from './list-forms.ts'
import { useBundleChanges } from './use-bundle-changes.ts'

type Cost = BundlePreview['cost']

const tokens = (cost: Cost): readonly (readonly [Cost['best'], string])[] => [
  ['full', t('{count} tokens', { count: formatCount(cost.full) })],
  ['compact', t('{count} tokens', { count: formatCount(cost.compact) })],
  [
    'router',
    t('{count} tokens, {each} for each search', {
      count: formatCount(cost.router),
      each: formatCount(cost.perSearch),
    }),
  ],
]

/** Whether the search pays off, in one sentence. */
export const breakEvenInWords = ({ breakEven, best }: Cost): string =>
  best === 'full'
    ? t('For this bundle, search costs more than the list.')
    : t('Search costs less than the full list up to {count} searches in a session.', { count: formatCount(breakEven) })

export function ListForm({
  bundle,
  cost,
  readOnly,
}: {
  readonly bundle: BundleDetail
  readonly cost: Cost
  readonly readOnly: boolean
}) {
  const { change } = useBundleChanges()
  return (
    <section
      aria-label={t('Form of the list')}
      className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-6 py-3 text-sm"
    >
      {readOnly ? (
        <span className="font-medium">{FORMS[bundle.listMode]}</span>
      ) : (
        <Select
          label={t('Form of the list')}
          hideLabel
          className="w-52"
          value={bundle.listMode}
          options={LIST_MODES.map((mode) => ({ value: mode, label: FORMS[mode] }))}
          onChange={(listMode) => void change(bundle, { listMode }).catch(notifyError)}
        />
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        {tokens(cost).map(([form, words]) => (
          <div key={form} className={cx('flex gap-2', isUsed(form, bundle.listMode, cost) && 'font-semibold')}>
            <dt className="text-ink-2">{FORMS[form]}</dt>
            <dd className="tabular-nums">{words}</dd>
          </div>
        ))}
      </dl>
      <p className="basis-full text-xs text-ink-2">
        {breakEvenInWords(cost)}{' '}
        {t('Clients with a tool search of their own, such as Claude Code, receive the full list.')}
      </p>
    </section>
  )
}

const isUsed = (form: Cost['best'], mode: ListMode, cost: Cost): boolean =>
  form === (mode === 'auto' ? cost.best : mode)
