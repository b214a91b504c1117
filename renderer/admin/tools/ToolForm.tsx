// A form over a part of a tool's configuration: sends changes only, with undo.
import type { ComponentProps, ReactNode } from 'react'
import type { ToolDetail, ToolPatch } from '#contract'
import { draftOf, type Form } from '../../ui/form/fields.ts'
import { type FormPart, PageForm } from '../../ui/form/PageForm.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { patchOf } from './tool-patch.ts'
import { useToolChanges } from './use-tool-changes.ts'

export type OfTool = { readonly tool: ToolDetail; readonly readOnly: boolean }

export function ToolForm<T>({
  tool,
  form,
  valuesOf,
  done,
  children,
  ...page
}: OfTool & {
  readonly form: Form<T>
  readonly parts: readonly FormPart[]
  readonly valuesOf: (tool: ToolDetail) => unknown
  /** The notice that confirms a change. */
  readonly done: string
  readonly children?: (patch: ToolPatch, valid: boolean) => ReactNode
} & Pick<ComponentProps<typeof PageForm>, 'above'>) {
  const { update } = useToolChanges()
  const { fields } = form
  return (
    <PageForm
      {...page}
      form={form}
      record={tool}
      valuesOf={valuesOf}
      what={tool.tool}
      live
      className="flex max-w-3xl flex-col gap-4 px-6 py-5"
      onSave={async (_input, { base, before, draft }) => {
        const patch = patchOf(fields, before, draft)
        if (Object.keys(patch).length === 0) return base
        const changed = await update(base, patch)
        notifyDone(done, () => update(changed, patchOf(fields, draftOf(fields, valuesOf(changed)), before)))
        return changed
      }}
    >
      {children && (({ before, draft }, valid) => children(patchOf(fields, before, draft), valid))}
    </PageForm>
  )
}
