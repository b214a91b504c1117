// Copies a text and confirms briefly.
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '../language/language.ts'
import { IconButton } from './Button.tsx'
import { notifyError } from './notify.ts'

export function CopyButton({ text, label = t('Copy') }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <IconButton
      label={copied ? t('Copied') : label}
      size="sm"
      className="size-6! [&_svg]:size-3.5!"
      onClick={() => {
        navigator.clipboard.writeText(text).then(() => setCopied(true), notifyError)
      }}
    >
      {copied ? <Check className="text-ok" /> : <Copy />}
    </IconButton>
  )
}
