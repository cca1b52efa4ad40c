"""How results look: as text, tables, HTML, SVG, JUnit's XML and Markdown."""
