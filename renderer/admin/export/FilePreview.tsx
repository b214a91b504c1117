// Previews the files of the export, each downloadable.
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { HandoffFile } from '#contract'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Select } from '../../ui/Select.tsx'
import { saveFile } from '../../ui/save-file.ts'

const FIRST = 'gantry.yaml'
/** Truncates the preview; the file is complete. */
const MOST_SHOWN = 20_000

export function FilePreview({ files }: { readonly files: readonly HandoffFile[] }) {
  const [wanted, setWanted] = useState(FIRST)
  const file = files.find(({ path }) => path === wanted) ?? files[0]
  if (!file) return null
  const cut = file.text.length > MOST_SHOWN
  return (
    <div className="flex min-w-0 flex-col gap-3 p-4">
      <div className="flex items-end gap-2">
        <Select
          label="File"
          hideLabel
          value={file.path}
          options={files.map(({ path }) => ({ value: path, label: path }))}
          onChange={setWanted}
          className="w-56"
        />
        <Button look="quiet" onClick={() => saveFile(file.path, 'text/plain', file.text)}>
          <Download />
          This file
        </Button>
      </div>
      <div className="max-h-[60vh] overflow-y-auto">
        <CodeBlock label={file.path} text={cut ? file.text.slice(0, MOST_SHOWN) : file.text} />
      </div>
      {cut && <p className="text-xs text-ink-3">Only the beginning is shown.</p>}
    </div>
  )
}
