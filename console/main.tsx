import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles.css';

const root = document.getElementById('console');
if (root === null) throw new Error('index.html has no element #console');
createRoot(root).render(<App />);
