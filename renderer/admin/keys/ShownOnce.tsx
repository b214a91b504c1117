// Shows a key's value once, with a client entry.
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { DialogActions } from '../../ui/Dialog.tsx'
import { pathOf } from './reach.ts'

export type Shown = KeyRecord & { readonly key: string | null }

export function ShownOnce({ shown, onClose }: { readonly shown: Shown; readonly onClose: () => void }) {
  const [saved, setSaved] = useState(false)
  const path = pathOf(shown)
  const value = shown.key ?? ''
  const entry = JSON.stringify(
    {
      mcpServers: {
        gantry: {
          type: 'http',
          url: `${location.origin}${path ?? '/mcp/<backend>'}`,
          headers: { Authorization: t('Bearer {value}', { value }) },
        },
      },
    },
    null,
    2,
  )
  return (
    <div className="flex flex-col gap-4 pt-1">
      <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
        {t('Copy it now. Only its hash is stored, so it cannot be shown again.')}
      </p>
      <CodeBlock label={t('Key')} text={value} />
      <details>
        <summary className="rounded text-xs font-medium text-ink-2">{t('An entry for a client’s mcp.json')}</summary>
        <div className="mt-2">
          <CodeBlock label={t('Entry')} text={entry} />
        </div>
      </details>
      <DialogActions>
        <div className="grow self-center">
          <Checkbox label={t('I have saved it')} checked={saved} onChange={setSaved} />
        </div>
        <Button look="strong" disabled={!saved} onClick={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </div>
  )
}
