// The listing of a tool: name, title, description, argument descriptions and hints.
import { useMemo } from 'react'
import { listingForm, listingOf, listingParts } from './listing-form.tsx'
import { type OfTool, ToolForm } from './ToolForm.tsx'

export function Listing({ tool, readOnly }: OfTool) {
  const form = useMemo(() => listingForm(tool), [tool])
  return (
    <ToolForm
      tool={tool}
      readOnly={readOnly}
      form={form}
      parts={listingParts(tool)}
      valuesOf={listingOf}
      done={`${tool.tool}’s listing was changed`}
      above={
        <p className="text-sm text-ink-2">
          These texts replace those of the source in lists. Leave a field empty to use the source’s text. Calls are not
          affected.
        </p>
      }
    />
  )
}
