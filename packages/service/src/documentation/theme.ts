/** The page is as light or dark as the rest of the screen, and follows it. */
const FOLLOW_SCREEN = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
`;

/** Nothing is wider than a phone, and no dark screen begins with a white one. */
const FIT_SCREEN = `
@media (prefers-color-scheme: dark) { html { background: #1c2022; } }
html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
.swagger-ui pre, .swagger-ui code { white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .wrapper, .swagger-ui .opblock-tag { padding-inline: 8px; }
  .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; overflow-wrap: anywhere; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; width: auto; max-width: 100%; min-width: 0; }
  .swagger-ui thead { display: none; }
  .swagger-ui input, .swagger-ui select, .swagger-ui textarea { min-width: 0; max-width: 100%; }
  .swagger-ui .opblock-body, .swagger-ui .model-box { overflow-x: auto; }
}
`;

/** What Swagger UI lacks: its own page follows no screen, dark or narrow. */
export const THEME = {
  css: [{ filename: 'fit-screen.css', content: FIT_SCREEN }],
  js: [{ filename: 'follow-screen.js', content: FOLLOW_SCREEN }],
};

/** The page as Swagger UI makes it is laid out for a desktop, and then made small. */
export function forAnyScreen(html: string): string {
  return html.replace(
    '<meta charset="UTF-8">',
    '$&\n      <meta name="viewport" content="width=device-width, initial-scale=1">',
  );
}
