"""FEEL text to syntax trees."""
