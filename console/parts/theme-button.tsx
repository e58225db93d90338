import { useEffect, useState } from 'react';

type Theme = 'system' | 'light' | 'dark';
const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

/** Light, dark, or as the system has it; for this tab. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>('system');
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(next[theme])}
    >
      {signs[theme]}
    </button>
  );
}
