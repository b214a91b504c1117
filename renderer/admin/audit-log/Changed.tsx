// The changed fields of an entry, old and new values.
import { isRecord } from '../../ui/form/shape.ts'
import { fieldsOf } from './changed-fields.ts'

export function Changed({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const { before, after } = detail
  const fields = fieldsOf(isRecord(before) ? before : {}, isRecord(after) ? after : {})
  if (fields.length === 0) return null
  return (
    <section aria-label="Changed fields">
      <h3 className="eyebrow pb-1.5">Changed fields</h3>
      <dl className="overflow-hidden rounded-md border border-line text-xs">
        {fields.map(({ name, was, is }) => (
          <div key={name} className="border-b border-line last:border-b-0">
            <dt className="bg-sunken px-3 py-1 font-mono font-medium break-all">{name}</dt>
            {was !== undefined && <Value mark="−" name="was" text={was} className="bg-bad-soft" />}
            {is !== undefined && <Value mark="+" name="is now" text={is} className="bg-ok-soft" />}
          </div>
        ))}
      </dl>
    </section>
  )
}

function Value({
  mark,
  name,
  text,
  className,
}: {
  readonly mark: string
  readonly name: string
  readonly text: string
  readonly className: string
}) {
  return (
    <dd className={`flex gap-2 px-3 py-1 font-mono ${className}`}>
      <span aria-hidden>{mark}</span>
      <span className="sr-only">{name}</span>
      <span className="max-h-40 min-w-0 overflow-y-auto break-all whitespace-pre-wrap">{text}</span>
    </dd>
  )
}
